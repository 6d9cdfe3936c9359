import { execFile } from "node:child_process";
import { existsSync, globSync, rmSync } from "node:fs";
import { cp, mkdtemp, rename, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { ensureInstalled } from "../../pack/installed.ts";

export const ROOT = join(import.meta.dirname, "../..");
/** What a fresh clone does not have. */
const NOT_CLONED = new Set([".git", "node_modules", "dist", "data", "generated", "screenshots", "coverage"]);

/** Packages that are shipped, by their folders in a clone. */
export const SHIPPED = [".", "sdk", "mcp", "adapters"] as const;
export type Shipped = (typeof SHIPPED)[number];

/** As in a terminal: the Node of the packages, and what npm needs to know of the machine. */
export const PATH = [dirname(process.execPath), process.env["PATH"]].join(":");

export async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    cwd,
    env: { ...process.env, PATH },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** @returns a copy of what a fresh clone holds */
export async function copyClone(folder: string): Promise<string> {
  const clone = join(folder, "clone");
  await cp(ROOT, clone, { recursive: true, filter: (path) => !NOT_CLONED.has(basename(path)) });
  return clone;
}

/** @returns a copy of what a fresh clone holds after `npm ci`, but for the pages */
export async function cloneInto(folder: string): Promise<string> {
  const clone = await copyClone(folder);
  const installed = globSync("{.,*}/node_modules", { cwd: ROOT });
  for (const path of installed) await symlink(join(ROOT, path), join(clone, path));
  return clone;
}

let clone: Promise<string> | undefined;
const tarballs: Partial<Record<Shipped, Promise<string>>> = {};

/** What `npm pack` makes of a package in a clone, once a run, or a process; gone when that ends. @returns the path of the tarball */
export function packed(name: Shipped): Promise<string> {
  return (tarballs[name] ??= packOnce(name));
}

async function packOnce(name: Shipped): Promise<string> {
  const shared = process.env["TEST_SHARED"];
  if (shared === undefined) return pack(name);
  const kept = join(shared, `${name === "." ? "service" : name}.tgz`);
  if (existsSync(kept)) return kept;
  const made = await pack(name);
  // Whole or not at all; of two that pack at once either may be the one.
  await cp(made, `${kept}.${process.pid}`);
  await rename(`${kept}.${process.pid}`, kept);
  return kept;
}

async function pack(name: Shipped): Promise<string> {
  clone ??= mkdtemp(join(tmpdir(), "packed-test-")).then((folder) => {
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    return cloneInto(folder);
  });
  const source = join(await clone, name);
  if (name === "adapters") {
    // Of its own packages a clone has none before they are asked for.
    ensureInstalled(name);
    const modules = join(source, "node_modules");
    if (!existsSync(modules)) await symlink(join(ROOT, name, "node_modules"), modules);
  }
  // What is built beside it says on standard output how large it is.
  const output = await run("npm", ["pack", "--json", "--foreground-scripts=false"], source);
  const [made] = JSON.parse(output.slice(output.indexOf("[\n"))) as { filename: string }[];
  return join(source, made!.filename);
}

/** Names of the packages in a folder, wherever they are nested. */
export function packagesIn(folder: string): string[] {
  const names = globSync("**/node_modules/{*,@*/*}/package.json", { cwd: folder }).map((path) =>
    dirname(path).replace(/^.*node_modules\//, ""),
  );
  return [...new Set(names)].toSorted();
}
