import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

/*
 * A folder with many packages that few people need has its own lock file outside of the workspaces, so that `npm ci` in
 * the clone does not install them. Code that needs such a folder calls `ensureInstalled`. On the command line, it is
 * `node pack/installed.ts <folder>`.
 */

const ROOT = join(import.meta.dirname, "..");
/** A file in a folder's node_modules: the hash of its lock file. `npm ci` deletes it before anything else. */
const STAMP = ".lock-sha256";
/** How long to wait for another process that installs the same folder. */
const PATIENCE_MS = 15 * 60_000;

/**
 * Makes sure that `<folder>/node_modules` matches `<folder>/package-lock.json`. If it does not, npm installs it.
 * @param folder - below the top of the clone, such as `adapters`
 * @throws Error with a sentence and npm's output, when npm cannot install it
 */
export function ensureInstalled(folder: string): void {
  const place = realpathSync(resolve(ROOT, folder));
  if (isInstalled(place)) return;
  const release = waitForTurn(place);
  try {
    // Another process may have installed it while this one waited.
    if (!isInstalled(place)) install(place);
  } finally {
    release();
  }
}

function hashOfLock(place: string): string {
  return createHash("sha256")
    .update(readFileSync(join(place, "package-lock.json")))
    .digest("hex");
}

function isInstalled(place: string): boolean {
  const stamp = join(place, "node_modules", STAMP);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === hashOfLock(place);
}

/**
 * Takes a SQLite lock, which is released when its process ends, even by a crash. @returns a function that releases the
 * lock
 */
function waitForTurn(place: string): () => void {
  const locks = join(ROOT, "node_modules/.installing");
  mkdirSync(locks, { recursive: true });
  const name = createHash("sha256").update(place).digest("hex").slice(0, 16);
  const lock = new DatabaseSync(join(locks, name), { timeout: PATIENCE_MS });
  lock.exec("begin exclusive");
  return () => lock.close();
}

function install(place: string): void {
  const name = relative(ROOT, place);
  const command = `npm ci --prefix ${name}`;
  const hash = hashOfLock(place);
  const why = existsSync(join(place, "node_modules")) ? "are not those of its package-lock.json" : "are not there yet";
  process.stderr.write(`${command}: the packages of ${name} ${why}.\n`);
  const { status, error, stdout, stderr } = spawnSync(
    "npm",
    ["ci", "--prefix", place, "--include=dev", "--no-audit", "--no-fund"],
    { cwd: place, env: environment(), encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0)
    throw new Error(
      `The packages of ${name} could not be installed: \`${command}\` failed. It fetches them from npm's registry, for which it needs a network, or a cache of npm that has them all.\n${error?.message ?? `${stdout}${stderr}`.trim()}`,
    );
  // npm creates no folder if there are no packages.
  mkdirSync(join(place, "node_modules"), { recursive: true });
  writeFileSync(join(place, "node_modules", STAMP), hash);
}

/**
 * Returns npm's environment. This process's Node comes first in PATH, and settings of an npm script that runs this are
 * left out.
 */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_config_(.*workspace.*|(local_)?prefix)$/.test(name),
  );
  const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  return { ...Object.fromEntries(kept), PATH: path };
}

if (import.meta.main)
  for (const folder of process.argv.slice(2))
    try {
      ensureInstalled(folder);
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`);
      process.exit(1);
    }
