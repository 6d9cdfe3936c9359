import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/*
 * `npm pack` makes `dist/` with this script, after the pages. Node strips no types inside `node_modules`, so each
 * module is compiled to JavaScript. `dist/` has the same layout as the repository, so that every path between files
 * stays valid.
 */

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");

/** Files that the compiled modules read or run. */
const KEPT_AS_IT_IS = [
  "src/node-version.mjs",
  "vendor/common-passwords",
  // Those of the dashboard are inside its pages.
  ...["de", "es", "fr", "ja"].flatMap((tag) => ["form", "service"].map((part) => `languages/${tag}/${part}.json`)),
  ...["app", "dashboard", "embed", "light", "server", "worker"].map((page) => `web/dist/${page}`),
  ...["dashboard", "embed", "light"].map((page) => `web/dist/${page}.json`),
];

/** Matches a file or folder that a module reads or starts as a thread, named relative to the module. */
const RELATIVE_URL = /new URL\(\s*"(\.{1,2}\/[^"]*)",\s*import\.meta\.url,?\s*\)/g;
const RELATIVE_IMPORT = /(?:\bfrom |\bimport\(|^import )"(\.{1,2}\/[^"]+)"/gm;

function main(): void {
  rmSync(DIST, { recursive: true, force: true });
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", import.meta.dirname], { stdio: "inherit" });
  const modules = globSync("**/*.js", { cwd: DIST });
  for (const path of KEPT_AS_IT_IS) cpSync(join(ROOT, path), join(DIST, path), { recursive: true });
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  writeFileSync(join(DIST, "package.json"), `${JSON.stringify({ type: "module", version })}\n`);

  const problems = modules.flatMap((module) => {
    const path = join(DIST, module);
    const source = readFileSync(path, "utf8").replaceAll(RELATIVE_URL, (url) => url.replace(/\.ts"/, '.js"'));
    writeFileSync(path, source);
    return problemsOf(source, path).map((problem) => `dist/${module}: ${problem}`);
  });
  if (problems.length === 0) return;
  process.stderr.write(`The package would not run:\n${problems.join("\n")}\n`);
  process.exitCode = 1;
}

/**
 * Finds problems that the compiler does not see: modules that it did not make, and files that are not named by imports.
 */
function problemsOf(source: string, path: string): string[] {
  const missing = [...source.matchAll(RELATIVE_URL), ...source.matchAll(RELATIVE_IMPORT)]
    .map(([, name = ""]) => name)
    .filter((name) => !existsSync(new URL(name, pathToFileURL(path))))
    .map((name) => `${name} is not there; pack/build.ts says what is copied, pack/tsconfig.json what is compiled`);
  const typescript = [...source.matchAll(/"[^"\n]+\.ts"|'[^'\n]+\.ts'/g)].map(
    ([text]) => `${text} names a module that is JavaScript here; write new URL("./x.ts", import.meta.url)`,
  );
  return [...missing, ...typescript];
}

main();
