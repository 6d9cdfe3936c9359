import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** Writes a script or a style sheet a second and a third time, as `.gz` and `.br` beside it. Other files are left alone. */
export function compress(path: string): void {
  if (!/\.(js|css)$/.test(path)) return;
  const source = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(source, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(source));
}

/** The size of files together, each after gzip, in kB. */
export function gzippedKb(paths: readonly string[]): number {
  const bytes = paths.map((path) => gzipSync(readFileSync(path), { level: 9 }).length);
  return bytes.reduce((sum, size) => sum + size, 0) / 1000;
}
