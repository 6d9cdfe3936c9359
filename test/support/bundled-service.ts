/**
 * The service in few files, for the processes that tests start: half of the time of a start goes into finding and reading
 * two thousand modules. It is the same code; what it reads and the threads that it starts stay where they are.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";

/** Names the folder of a bundle that `bundleService` made. Without it, processes start from the sources. */
export const BUNDLE_FOLDER = "TEST_BUNDLE";
const ROOT = join(import.meta.dirname, "../..");
/** Where a bundle says which module is where in its files. */
const PLACES = "places.json";

/** Where modules begin in a file of the bundle: the line, and the module's path from the root. */
type Places = Record<string, [line: number, module: string][]>;

/** The path of a program of the service, in the bundle if there is one. @param source - such as `src/main.ts` */
export function programOf(source: string): string {
  const folder = process.env[BUNDLE_FOLDER];
  return folder === undefined ? source : join(folder, source.replace(/\.ts$/, ".js"));
}

/** Makes the bundle, which this process and those that it starts use from then on. It is removed at the end. */
export async function bundleService(): Promise<void> {
  const { rolldown } = await import("rolldown");
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  // Within the root, where packages that are named at run time are found.
  const folder = mkdtempSync(join(cache, "service-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const bundle = await rolldown({
    cwd: ROOT,
    input: { "src/main": "src/main.ts" },
    platform: "node",
    plugins: [{ name: "own-places", transform: (code, id) => atItsOwnPlace(code, id) }],
  });
  const { output } = await bundle.write({ dir: folder, format: "esm", chunkFileNames: "src/[name]-[hash].js" });
  const places: Places = {};
  for (const file of output) if (file.type === "chunk") places[file.fileName] = placesIn(file.code, file.moduleIds);
  writeFileSync(join(folder, PLACES), JSON.stringify(places));
  process.env[BUNDLE_FOLDER] = folder;
}

/** Gives a module the address of its source, by which it finds its files. */
function atItsOwnPlace(code: string, id: string): string | null {
  if (!/\bimport\.meta\.url\b|\b__(?:dir|file)name\b/.test(code)) return null;
  return code
    .replaceAll(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(id).href))
    .replaceAll(/\b__dirname\b/g, JSON.stringify(dirname(id)))
    .replaceAll(/\b__filename\b/g, JSON.stringify(id));
}

/** Finds the comments with which the bundler says where a module begins. */
function placesIn(code: string, modules: readonly string[]): [number, string][] {
  const paths = new Set(modules.map((id) => relative(ROOT, id)));
  return code.split("\n").flatMap((line, at): [number, string][] => {
    const module = line.startsWith("// ") ? line.slice("// ".length) : "";
    return paths.has(module) ? [[at + 1, module]] : [];
  });
}

/** Those that were read, by folder. */
const known = new Map<string, Places>();

/**
 * Returns which source a place in a stack is from, as a path from the root.
 * @param file - a complete path
 * @param line - from 1
 */
export function sourceOf(file: string, line: number): string {
  const folder = process.env[BUNDLE_FOLDER];
  if (folder === undefined || !file.startsWith(`${folder}/`)) return relative(ROOT, file);
  const places = known.get(folder) ?? (JSON.parse(readFileSync(join(folder, PLACES), "utf8")) as Places);
  known.set(folder, places);
  return places[relative(folder, file)]?.findLast(([first]) => first <= line)?.[1] ?? relative(ROOT, file);
}
