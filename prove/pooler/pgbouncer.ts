import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../test/support/free-port.ts";

/** PgBouncer refuses to run as root; this is the user id of `nobody`. */
const NOBODY = 65_534;
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
/** Packages that a small Debian system may lack. */
const PACKAGES = ["pgbouncer", "libevent-2.1-7", "libc-ares2"];
const NEWER = ["pgbouncer", "libevent-2.1-7t64", "libcares2"];
const PLACES = ["/usr/sbin/pgbouncer", "/usr/local/sbin/pgbouncer", "/usr/local/bin/pgbouncer", "/usr/bin/pgbouncer"];

/** A program, and the folder of its libraries. */
export interface Program {
  path: string;
  libraries: string[];
  version: string;
  /** Deletes the downloaded files. */
  remove(): void;
}

/**
 * Returns the installed PgBouncer, or else Debian's package, downloaded with apt-get and unpacked into its own folder.
 *
 * @returns null if PgBouncer is not installed and apt-get cannot download it
 */
export function findPgBouncer(): Program | null {
  for (const path of PLACES) {
    const found = runnable(path, []);
    if (found !== null) return { ...found, remove: () => {} };
  }
  const home = mkdtempSync(join(tmpdir(), "service-pgbouncer-"));
  chmodSync(home, 0o755);
  const remove = () => rmSync(home, { recursive: true, force: true });
  const fetched = fetchPackages(home) ? runnable(join(home, "usr/sbin/pgbouncer"), librariesIn(home)) : null;
  if (fetched !== null) return { ...fetched, remove };
  remove();
  return null;
}

function runnable(path: string, libraries: string[]): Omit<Program, "remove"> | null {
  if (!existsSync(path)) return null;
  const { status, stdout } = spawnSync(path, ["--version"], { ...identity, env: envOf(libraries), cwd: "/" });
  return status === 0 ? { path, libraries, version: /\d+(\.\d+)+/.exec(String(stdout))?.[0] ?? "?" } : null;
}

function librariesIn(home: string): string[] {
  const lib = join(home, "usr/lib");
  return existsSync(lib) ? readdirSync(lib).map((name) => join(lib, name)) : [];
}

function fetchPackages(home: string): boolean {
  const has = (command: string) => spawnSync(command, ["--version"]).status === 0;
  if (!has("apt-get") || !has("dpkg-deb")) return false;
  const download = (name: string) => {
    const get = spawnSync("apt-get", ["download", "-q", name], { cwd: home, stdio: "ignore" });
    return get.status === 0;
  };
  const all = () => [PACKAGES, NEWER].some((names) => names.every(download));
  // A new machine has no package lists.
  if (!all() && !(spawnSync("apt-get", ["update", "-q"], { stdio: "ignore" }).status === 0 && all())) return false;
  for (const name of readdirSync(home))
    if (name.endsWith(".deb")) execFileSync("dpkg-deb", ["-x", join(home, name), home]);
  return true;
}

const envOf = (libraries: readonly string[]) => ({
  ...(libraries.length > 0 && { LD_LIBRARY_PATH: libraries.join(":") }),
});

export type PoolMode = "session" | "transaction";

/** A PgBouncer with default settings in front of the database at `url`. */
export interface PgBouncer {
  url: string;
  /** Stops it, which cuts every connection, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPgBouncer({ path, libraries }: Program, url: string, mode: PoolMode): Promise<PgBouncer> {
  const { searchParams, pathname } = new URL(url);
  const database = pathname.slice(1);
  const port = await freePort();
  const home = mkdtempSync(join(tmpdir(), "service-pgbouncer-"));
  chmodSync(home, 0o755);
  const config = join(home, "pgbouncer.ini");
  writeFileSync(join(home, "users.txt"), '"postgres" ""\n', { mode: 0o644 });
  writeFileSync(
    config,
    `[databases]
${database} = host=${searchParams.get("host")} dbname=${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = trust
auth_file = ${home}/users.txt
pool_mode = ${mode}
unix_socket_dir =
`,
    { mode: 0o644 },
  );
  let child: ChildProcess;
  const start = async () => {
    child = spawn(path, [config], { ...identity, env: envOf(libraries), stdio: "ignore", cwd: "/" });
    for (let tries = 0; !(await isListening(port)); tries++) {
      if (child.exitCode !== null || tries === 500) throw new Error(`PgBouncer did not start (${child.exitCode})`);
      await sleep(20);
    }
  };
  const stop = async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/${database}`,
    restart: async () => {
      await stop();
      await start();
    },
    stop: async () => {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).then((is) => {
    socket.destroy();
    return is as boolean;
  });
}
