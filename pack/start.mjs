// What `npm start` runs: the bundle of the sources, or the sources themselves if one has changed since it was made
// (pack/bundle-clone.ts), or if there is none. Plain JavaScript, as what it needs before anything is compiled.
import { readFileSync, statSync } from "node:fs";

const ROOT = new URL("../", import.meta.url);
const BUNDLE = new URL("node_modules/.cache/service/", ROOT);

await import(isFresh() ? new URL("main.js", BUNDLE).href : new URL("src/main.ts", ROOT).href);

function isFresh() {
  try {
    const sources = JSON.parse(readFileSync(new URL("sources.json", BUNDLE), "utf8"));
    return sources.every(([path, size, mtimeMs]) => {
      const now = statSync(new URL(path, ROOT));
      return now.size === size && now.mtimeMs === mtimeMs;
    });
  } catch {
    return false;
  }
}
