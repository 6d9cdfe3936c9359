import { readFile, readdir } from "node:fs/promises";
import { extname } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** What a browser loads besides the page; each name carries a hash of what is in it. */
export interface BuiltFile {
  readonly type: string;
  readonly source: Buffer;
  readonly compressed: Buffer;
}

export interface BuiltPage {
  readonly script: string;
  readonly style: string;
  /** By name. */
  readonly files: ReadonlyMap<string, BuiltFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
};

/** Reads a page that `npm run build` has made; null: it was not built. */
export async function readBuiltPage(name: string): Promise<BuiltPage | null> {
  const folder = new URL(`../../web/dist/${name}/`, import.meta.url);
  let manifest: { script: string; style: string };
  try {
    manifest = JSON.parse(await readFile(new URL("manifest.json", folder), "utf8")) as typeof manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const files = new Map<string, BuiltFile>();
  for (const file of await readdir(folder)) {
    const type = TYPES[extname(file)];
    if (type === undefined) continue;
    const source = await readFile(new URL(file, folder));
    // A font is compressed already.
    files.set(file, { type, source, compressed: file.endsWith(".woff2") ? source : await promisify(gzip)(source) });
  }
  return { ...manifest, files };
}
