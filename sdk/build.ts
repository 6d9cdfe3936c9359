import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

/*
 * `dist/`: the modules as JavaScript with their types beside them, as they are, for whoever debugs into them. Installing
 * a clone builds it, so that examples import the client by its name; with `--if-possible` it is content without the compiler, which
 * an installation for production does not have.
 */

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const compiler = here("../node_modules/typescript/bin/tsc");
if (existsSync(compiler) || !process.argv.includes("--if-possible")) {
  rmSync(here("dist"), { recursive: true, force: true });
  execFileSync(process.execPath, [compiler, "-p", here("tsconfig.build.json")], { stdio: "inherit" });
}
