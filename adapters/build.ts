import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "../pack/installed.ts";

/** `dist/`: the modules as JavaScript with their types beside them, as they are, for whoever debugs into them. */

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
// The compiler reads what the frameworks say of their types.
ensureInstalled(here("."));
rmSync(here("dist"), { recursive: true, force: true });
execFileSync(process.execPath, [here("../node_modules/typescript/bin/tsc"), "-p", here("tsconfig.build.json")], {
  stdio: "inherit",
});
