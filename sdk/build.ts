import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";

/*
 * Builds `dist/`. Each module of the client becomes one JavaScript module with its types, so that a debugger shows it.
 * The testing entry becomes one module with the code of the service and of json-schema/ inside, so that the package has
 * no dependencies. It imports the modules of the client, because they share classes and errors.
 *
 * Installing a clone runs this, so that examples can import the client by its name. With `--if-possible`, nothing is
 * built if the compiler is missing, as in an installation for production.
 */

const HERE = import.meta.dirname;
const DIST = join(HERE, "dist");
const COMPILER = join(HERE, "../node_modules/typescript/bin/tsc");
const ERRORS = join(HERE, "../src/errors.ts");
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
    // Importing our modules has no side effects, so importing a single function adds nothing else.
    treeshake: { moduleSideEffects: false },
    // Test runners that convert modules to CommonJS have no `import.meta`.
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
      {
        name: "errors-without-help",
        transform: (code, id) => (id === ERRORS ? withoutHelp(code) : null),
      },
    ],
  });
  const banner = `/*!\n${readFileSync(join(HERE, "testing/rfc6902-license.txt"), "utf8")}*/`;
  const { output } = await bundle.write({ file: join(DIST, "testing/index.js"), format: "esm", banner });
  const strangers = output.flatMap((chunk) => (chunk.type === "chunk" ? strangersIn(chunk) : []));
  if (strangers.length > 0) throw new Error(`The testing entry would need ${strangers.join(", ")}.`);
}

/** Returns the catalogue of errors without the texts of the troubleshooting page, which no answer has. */
function withoutHelp(code: string): string {
  const left = code.replaceAll(/^ {4}help:[^]*?,\n(?= {2}\})/gm, "");
  if (left === code) throw new Error("The catalogue of errors is written in another way: adapt this.");
  return left;
}

/** Returns the packages in a bundle, inside or imported. There must be none but the one whose license is in the bundle. */
function strangersIn({ imports, moduleIds }: { imports: readonly string[]; moduleIds: readonly string[] }): string[] {
  return [
    ...imports.filter((name) => !name.startsWith("../")),
    ...moduleIds.filter((id) => id.includes("node_modules") && !id.includes("/node_modules/rfc6902/")),
  ];
}

/** Writes the types of the testing entry, and of the modules that they import. */
function writeTestingTypes(): void {
  const made = mkdtempSync(join(tmpdir(), "client-types-"));
  try {
    compile("tsconfig.testing.json", "--outDir", made);
    copyTypes(join(made, "sdk"), "testing/index.d.ts", new Set());
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** @throws Error when the types import something outside of the client */
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
