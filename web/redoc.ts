import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compress } from "./compress.ts";

const VENDOR = join(import.meta.dirname, "../vendor/redoc");

/** A logo that Redoc loads from its maker's host. It shows no logo when the image cannot be loaded. */
const LOGO = "https://cdn.redoc.ly/redoc/logo-mini.svg";

/**
 * Writes the script of the API reference into `outDir`, without the logo from another host, with its compressed copies and
 * its licenses. `outDir`.json names it.
 *
 * @returns the path of the script
 */
export function buildRedoc(outDir: string): string {
  const vendored = readFileSync(join(VENDOR, "redoc.standalone.js"), "utf8");
  if (!vendored.includes(LOGO)) throw new Error("Redoc has another logo than the one that web/redoc.ts takes out.");
  const source = vendored.replaceAll(LOGO, "data:,");
  const script = `redoc-${createHash("sha256").update(source).digest("hex").slice(0, 8)}.js`;
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  writeFileSync(join(outDir, script), source);
  writeFileSync(join(outDir, "licenses.md"), licenses());
  writeFileSync(`${outDir}.json`, JSON.stringify({ script }));
  compress(join(outDir, script));
  return join(outDir, script);
}

/** In the form of the other pages, so that `pack/sbom.ts` finds the package and its version. */
function licenses(): string {
  const text = (file: string): string => readFileSync(join(VENDOR, file), "utf8").trim();
  const [, version] = /`redoc` (\S+?),/.exec(text("README.md"))!;
  const inside = ["redoc.standalone.js.LICENSE.txt", "worker.LICENSE.txt"].map(text);
  return `${[`## redoc - ${version} (MIT)`, text("LICENSE"), "The works inside it:", ...inside].join("\n\n")}\n`;
}
