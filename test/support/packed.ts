import { execFile } from "node:child_process";
import { existsSync, globSync, rmSync } from "node:fs";
import { cp, mkdtemp, rename, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { ensureInstalled } from "../../pack/installed.ts";

export const ROOT = join(import.meta.dirname, "../..");
/** Files that a fresh clone does not have. */
const NOT_CLONED = new Set([".git", "node_modules", "dist", "data", "generated", "screenshots", "coverage"]);

/** Packages that are published, by their folders in a clone. */
export const SHIPPED = [".", "sdk", "mcp", "adapters"] as const;
export type Shipped = (typeof SHIPPED)[number];

/** The PATH of a terminal: the packages' Node, and what npm needs of the machine. */
export const PATH = [dirname(process.execPath), process.env["PATH"]].join(":");

export async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    cwd,
    env: { ...process.env, PATH },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** @returns a copy of a fresh clone */
export async function copyClone(folder: string): Promise<string> {
  const clone = join(folder, "clone");
  await cp(ROOT, clone, { recursive: true, filter: (path) => !NOT_CLONED.has(basename(path)) });
  return clone;
}

/** @returns a copy of a fresh clone after `npm ci`, without the pages */
export async function cloneInto(folder: string): Promise<string> {
  const clone = await copyClone(folder);
  const installed = globSync("{.,*}/node_modules", { cwd: ROOT });
  for (const path of installed) await symlink(join(ROOT, path), join(clone, path));
  return clone;
}

let clone: Promise<string> | undefined;
const tarballs: Partial<Record<Shipped, Promise<string>>> = {};

/**
 * Packs a package of a clone with `npm pack`, once for each run or process. The tarball is deleted when that ends.
 * @returns the path of the tarball
 */
export function packed(name: Shipped): Promise<string> {
  return (tarballs[name] ??= packOnce(name));
}

async function packOnce(name: Shipped): Promise<string> {
  const shared = process.env["TEST_SHARED"];
  if (shared === undefined) return pack(name);
  const kept = join(shared, `${name === "." ? "service" : name}.tgz`);
  if (existsSync(kept)) return kept;
  const made = await pack(name);
  // Renaming makes it complete or absent. If two processes pack at once, either result is fine.
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
    // A clone installs the packages of such a folder only on request.
    ensureInstalled(name);
    const modules = join(source, "node_modules");
    if (!existsSync(modules)) await symlink(join(ROOT, name, "node_modules"), modules);
  }
  // A build prints its sizes on standard output as well.
  const output = await run("npm", ["pack", "--json", "--foreground-scripts=false"], source);
  const [made] = JSON.parse(output.slice(output.indexOf("[\n"))) as { filename: string }[];
  return join(source, made!.filename);
}

/** Returns the names of the packages in a folder, at any depth. */
export function packagesIn(folder: string): string[] {
  const names = globSync("**/node_modules/{*,@*/*}/package.json", { cwd: folder }).map((path) =>
    dirname(path).replace(/^.*node_modules\//, ""),
  );
  return [...new Set(names)].toSorted();
}
