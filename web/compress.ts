import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** Writes compressed copies of a script or a style sheet, as `.gz` and `.br` beside it. Ignores other files. */
export function compress(path: string): void {
  if (!/\.(js|css)$/.test(path)) return;
  const source = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(source, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(source));
}

/** Returns the total size of files in kB, each after gzip. */
export function gzippedKb(paths: readonly string[]): number {
  const bytes = paths.map((path) => gzipSync(readFileSync(path), { level: 9 }).length);
  return bytes.reduce((sum, size) => sum + size, 0) / 1000;
}
