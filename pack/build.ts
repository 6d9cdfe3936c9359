import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown, type OutputChunk, type Plugin } from "rolldown";

/*
 * `npm pack` makes `dist/` with this script, after the pages. Node strips no types inside `node_modules`, and a file
 * costs a third of a millisecond at each start. So the modules are bundled into few files of JavaScript, all in
 * `dist/src`: the command, each module that runs as a thread, each module that is imported when it is needed, and what
 * these share. The files that they read have the same places in `dist/` as in the repository.
 */

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
/** Where the JavaScript is, below `dist/`. */
const CODE = "src";
const COMMAND = "src/cli.ts";

/** Files that the modules read or run. */
const KEPT_AS_IT_IS = [
  "src/node-version.mjs",
  "vendor/common-passwords",
  // Those of the dashboard are inside its pages.
  ...["de", "es", "fr", "ja"].flatMap((tag) => ["form", "service"].map((part) => `languages/${tag}/${part}.json`)),
  ...["app", "dashboard", "embed", "light", "server", "worker"].map((page) => `web/dist/${page}`),
  ...["dashboard", "embed", "light"].map((page) => `web/dist/${page}.json`),
];

/**
 * A package that is bundled as well, because it consists of 257 small modules. It stays a dependency for clones without
 * the packages for development. Others do not pay: bundling Fastify and ten more saves nothing that can be measured.
 */
const BUNDLED = "kysely";

/** Matches a file or folder that a module reads or starts as a thread, named relative to the module. */
const RELATIVE_URL = /new URL\(\s*(["`])(\.{1,2}\/[^"`$]*)([^"`]*)\1,\s*import\.meta\.url,?\s*\)/g;
const RELATIVE_IMPORT = /(?:\bfrom |\bimport\(|^import )"(\.{1,2}\/[^"]+)"/gm;

async function main(): Promise<void> {
  rmSync(DIST, { recursive: true, force: true });
  const chunks = await bundle();
  writeFileSync(join(DIST, CODE, "licenses.md"), licensesOf(chunks));
  for (const path of KEPT_AS_IT_IS) cpSync(join(ROOT, path), join(DIST, path), { recursive: true });
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  writeFileSync(join(DIST, "package.json"), `${JSON.stringify({ type: "module", version })}\n`);
  chmodSync(join(DIST, CODE, "cli.js"), 0o755);

  const problems = chunks.flatMap(({ fileName, code }) =>
    problemsOf(code, join(DIST, fileName)).map((problem) => `dist/${fileName}: ${problem}`),
  );
  if (problems.length === 0) return;
  process.stderr.write(`The package would not run:\n${problems.join("\n")}\n`);
  process.exitCode = 1;
}

async function bundle(): Promise<OutputChunk[]> {
  const built = await rolldown({
    cwd: ROOT,
    input: { cli: COMMAND },
    platform: "node",
    plugins: [withFilesBeside],
    external: (id) => /^[^./]/.test(id) && id !== BUNDLED && !id.startsWith(`${BUNDLED}/`),
  });
  const { output } = await built.write({
    dir: DIST,
    format: "esm",
    entryFileNames: `${CODE}/[name].js`,
    chunkFileNames: `${CODE}/[name].js`,
  });
  return output.filter((file) => file.type === "chunk");
}

/** Adapts the paths of the files that modules read to the place of the bundle, and makes a file of each thread's module. */
const withFilesBeside: Plugin = {
  name: "with-files-beside",
  // It is loaded before all other code, also by a Node that could not read that.
  resolveId: (source) => (source === "./node-version.mjs" ? { id: source, external: true } : null),
  transform(code, id) {
    if (!RELATIVE_URL.test(code)) return null;
    return code.replaceAll(RELATIVE_URL, (_, quote: string, path: string, rest: string) => {
      const target = relative(ROOT, resolve(dirname(id), path)) + (path.endsWith("/") ? "/" : "");
      const place = target.endsWith(".ts") ? this.getFileName(this.emitFile(threadOf(target))) : target;
      const from = posix.relative(CODE, place) + (place.endsWith("/") ? "/" : "");
      return `new URL(${quote}${from.startsWith(".") ? from : `./${from}`}${rest}${quote}, import.meta.url)`;
    });
  },
};

/** Returns the file of a thread's module: `src/drawing/worker.ts` becomes `dist/src/drawing-worker.js`. */
function threadOf(module: string): { type: "chunk"; id: string; fileName: string } {
  const name = module
    .replace(/^src\//, "")
    .replace(/\.ts$/, "")
    .replaceAll("/", "-");
  return { type: "chunk", id: join(ROOT, module), fileName: `${CODE}/${name}.js` };
}

/** Returns the licenses of the packages inside the bundle, as the build of the pages writes them. */
function licensesOf(chunks: readonly OutputChunk[]): string {
  const places = chunks.flatMap(({ moduleIds }) =>
    moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
  );
  const texts = [...new Set(places)].toSorted().map((place) => {
    const { name, version, license } = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as {
      name: string;
      version: string;
      license: string;
    };
    return `## ${name} - ${version} (${license})\n\n${readFileSync(join(place, "LICENSE"), "utf8").trim()}\n`;
  });
  return `# Licenses\n\nThe modules in this folder contain software of the packages below.\n\n${texts.join("\n")}`;
}

/** Finds problems that the bundler does not see: files that are not named by imports. */
function problemsOf(source: string, path: string): string[] {
  // What comes after the first `${` is only known when it runs.
  const missing = [
    ...Array.from(source.matchAll(RELATIVE_URL), ([, , name = ""]) => name),
    ...Array.from(source.matchAll(RELATIVE_IMPORT), ([, name = ""]) => name),
  ]
    .filter((name) => !existsSync(new URL(name, pathToFileURL(path))))
    .map((name) => `${name} is not there; pack/build.ts says what is copied`);
  const typescript = Array.from(
    source.matchAll(/"[^"\n]+\.ts"|'[^'\n]+\.ts'/g),
    ([text]) => `${text} names a module that is JavaScript here; write new URL("./x.ts", import.meta.url)`,
  );
  const elsewhere = /import\.meta\.(?:dirname|filename)/.test(source)
    ? ["import.meta.dirname and import.meta.filename are those of the bundle; write new URL(…, import.meta.url)"]
    : [];
  return [...missing, ...typescript, ...elsewhere];
}

await main();
