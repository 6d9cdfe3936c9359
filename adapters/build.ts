import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "../pack/installed.ts";

/**
 * Builds `dist/`: the modules as JavaScript with their types, not bundled or minified, so that they can be debugged.
 */

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
// The compiler reads the types of the frameworks.
ensureInstalled(here("."));
rmSync(here("dist"), { recursive: true, force: true });
execFileSync(process.execPath, [here("../node_modules/typescript/bin/tsc"), "-p", here("tsconfig.build.json")], {
  stdio: "inherit",
});
