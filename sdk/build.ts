import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";

/*
 * Builds `dist/`. The modules of the client become JavaScript one by one, with their types beside them, so that a debugger
 * shows them. The testing entry becomes one module with the code of the service and of json-schema/ inside, so that the
 * package has no dependencies; it imports the modules of the client, whose classes and errors it shares.
 *
 * Installing a clone builds it, so that examples import the client by its name; with `--if-possible` nothing is built where
 * the compiler is missing, as in an installation for production.
 */

const HERE = import.meta.dirname;
const DIST = join(HERE, "dist");
const COMPILER = join(HERE, "../node_modules/typescript/bin/tsc");
const BUNDLER = join(HERE, "../node_modules/rolldown");

async function main(ifPossible: boolean): Promise<void> {
  if (ifPossible && !(existsSync(COMPILER) && existsSync(BUNDLER))) return;
  rmSync(DIST, { recursive: true, force: true });
  compile("tsconfig.build.json");
  await bundleTesting();
  writeTestingTypes();
}

function compile(config: string, ...options: string[]): void {
  execFileSync(process.execPath, [COMPILER, "-p", join(HERE, config), ...options], { stdio: "inherit" });
}

/** @throws Error when the bundle would need a package */
async function bundleTesting(): Promise<void> {
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    input: join(HERE, "testing/index.ts"),
    platform: "neutral",
    // Importing a module of ours does nothing, so one that is imported for a single function brings nothing else.
    treeshake: { moduleSideEffects: false },
    // Test runners that make CommonJS of what they load have no `import.meta`.
    transform: { define: { "import.meta.url": JSON.stringify("index.js") } },
    plugins: [
      {
        name: "modules-of-the-client",
        resolveId: (source, importer) => {
          if (!source.startsWith(".") || importer === undefined) return null;
          const path = join(dirname(importer), source);
          if (dirname(path) !== HERE) return null;
          return { id: `../${basename(path, ".ts")}.js`, external: "absolute" };
        },
      },
    ],
  });
  const { output } = await bundle.write({ file: join(DIST, "testing/index.js"), format: "esm" });
  const strangers = output.flatMap((chunk) => (chunk.type === "chunk" ? strangersIn(chunk) : []));
  if (strangers.length > 0) throw new Error(`The testing entry would need ${strangers.join(", ")}.`);
}

/** What a bundle has of packages, inside or imported: it may have nothing. */
function strangersIn({ imports, moduleIds }: { imports: readonly string[]; moduleIds: readonly string[] }): string[] {
  return [
    ...imports.filter((name) => !name.startsWith("../")),
    ...moduleIds.filter((id) => id.includes("node_modules")),
  ];
}

/** Writes the types of the testing entry, and of the modules whose types it names. */
function writeTestingTypes(): void {
  const made = mkdtempSync(join(tmpdir(), "client-types-"));
  try {
    compile("tsconfig.testing.json", "--outDir", made);
    copyTypes(join(made, "sdk"), "testing/index.d.ts", new Set());
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** @throws Error when the types name something that is not of the client */
function copyTypes(from: string, file: string, copied: Set<string>): void {
  if (copied.has(file)) return;
  copied.add(file);
  if (file.startsWith("..")) throw new Error(`The types of the testing entry would need ${relative(HERE, file)}.`);
  const source = readFileSync(join(from, file), "utf8");
  if (file.startsWith("testing/")) cpSync(join(from, file), join(DIST, file));
  for (const [, name] of source.matchAll(/(?:from |import\()"(\.[^"]+)\.ts"/g))
    copyTypes(from, join(dirname(file), `${name}.d.ts`), copied);
}

await main(process.argv.includes("--if-possible"));
