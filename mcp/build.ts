import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Compiles this folder and the client beside it into `dist/`, with the layout of the repository, and adds the form for apps. */
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
rmSync(here("dist"), { recursive: true, force: true });
execFileSync(process.execPath, [here("../node_modules/typescript/bin/tsc"), "-p", here("tsconfig.build.json")], {
  stdio: "inherit",
});
execFileSync(process.execPath, [here("../web/build.ts"), "app"], { stdio: "inherit" });
cpSync(here("../web/dist/app"), here("dist/web/dist/app"), { recursive: true });
chmodSync(here("dist/mcp/cli.js"), 0o755);
