import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Compiles this folder and the client beside it into `dist/`, with the layout of the repository. */
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
rmSync(here("dist"), { recursive: true, force: true });
execFileSync(process.execPath, [here("../node_modules/typescript/bin/tsc"), "-p", here("tsconfig.build.json")], {
  stdio: "inherit",
});
chmodSync(here("dist/mcp/cli.js"), 0o755);
