import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

/*
 * Folders whose packages are many and needed by few have a lock file of their own, outside of the workspaces, so that `npm ci`
 * in the clone does not bring them. Whoever needs such a folder asks for its packages here, or types
 * `node pack/installed.ts <folder>`.
 */

const ROOT = join(import.meta.dirname, "..");
/** In a folder's node_modules: the hash of the lock file that it was made from. `npm ci` removes it before anything else. */
const STAMP = ".lock-sha256";
/** How long another process that installs the same folder is waited for. */
const PATIENCE_MS = 15 * 60_000;

/**
 * Makes sure that `<folder>/node_modules` is what `<folder>/package-lock.json` says, and installs it with npm where it is not.
 * @param folder - below the top of the clone, such as `adapters`
 * @throws Error with a sentence and what npm said, when npm cannot install it
 */
export function ensureInstalled(folder: string): void {
  const place = realpathSync(resolve(ROOT, folder));
  if (isInstalled(place)) return;
  const release = waitForTurn(place);
  try {
    // Somebody else may have done it meanwhile.
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

/** A lock of SQLite's, which ends with the process that holds it, however that ends. @returns what lets go of it */
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
  // npm makes no folder for no packages.
  mkdirSync(join(place, "node_modules"), { recursive: true });
  writeFileSync(join(place, "node_modules", STAMP), hash);
}

/** What npm finds: the Node that runs this before an older one, and nothing of a script of npm's that this may run in. */
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
