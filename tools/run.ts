import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { ensureInstalled } from "../pack/installed.ts";

/*
 * `node tools/run.ts <tool> [arguments]` runs a tool of this folder from the top of the clone. It installs the tools
 * first if they are missing, because running or testing the service does not need them.
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
