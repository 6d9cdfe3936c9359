import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { ensureInstalled } from "../pack/installed.ts";

/*
 * `node tools/run.ts <tool> [arguments]`: a tool that this folder has, run from the top of the clone. Its packages are installed
 * first where they are not there: whoever only runs or tests the service needs none of them.
 */

const [tool, ...args] = process.argv.slice(2);
if (tool === undefined) throw new Error("Name the tool that is to run.");
ensureInstalled("tools");
const bin = join(import.meta.dirname, "node_modules/.bin");
// oxlint finds its type checker there.
const PATH = [bin, process.env["PATH"]].join(delimiter);
const child = spawn(join(bin, tool), args, { stdio: "inherit", env: { ...process.env, PATH } });
const [status] = (await once(child, "exit")) as [number | null];
process.exit(status ?? 1);
