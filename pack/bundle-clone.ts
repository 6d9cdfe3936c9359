import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { rolldown, type Plugin } from "rolldown";

/*
 * Makes what `npm start` runs in a clone (pack/start.mjs): the sources of the service in few files, because finding and
 * reading a thousand modules is half of the time of a start. It is the same code. What it reads and the threads that it
 * starts stay where they are. `npm ci` and `npm run build` make it.
 */

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "node_modules/.cache/service");
/** Where it is made. A service that starts at the same time finds a whole one, or none. */
const MADE = `${FOLDER}-${process.pid}`;

/** The one package that is bundled too: it consists of 257 modules. Bundling others saves nothing that can be measured. */
const BUNDLED = /^kysely(\/|$)/;

/** Gives a module the address of its source, by which it finds its files. */
const atItsOwnPlace: Plugin = {
  name: "at-its-own-place",
  transform: (code, id) =>
    /\bimport\.meta\.url\b/.test(code)
      ? code.replaceAll(
          /\bimport\.meta\.url\b/g,
          `new URL(${JSON.stringify(relative(MADE, id).split(sep).join("/"))}, import.meta.url).href`,
        )
      : null,
};

const bundle = await rolldown({
  cwd: ROOT,
  input: { main: "src/main.ts" },
  platform: "node",
  plugins: [atItsOwnPlace],
  external: (id) => /^[^./]/.test(id) && !BUNDLED.test(id),
});
// All files are in one folder: the addresses above count from there.
const { output } = await bundle.write({ dir: MADE, format: "esm", chunkFileNames: "[name].js" });
const sources = output
  .flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
  .filter((id) => !id.includes("node_modules") && !id.startsWith("\0"))
  .map((id) => {
    const { size, mtimeMs } = statSync(id);
    return [relative(ROOT, id), size, mtimeMs] as const;
  });
writeFileSync(join(MADE, "sources.json"), JSON.stringify(sources));
rmSync(FOLDER, { recursive: true, force: true });
renameSync(MADE, FOLDER);
