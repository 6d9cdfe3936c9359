import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openPostgres } from "../../src/db/postgres.ts";
import { openSqlite } from "../../src/db/sqlite.ts";
import type { Db } from "../../src/db/database.ts";
import { startPostgres, type OwnPostgresServer } from "../../test/support/postgres.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY } from "../../test/support/service.ts";
import type { Dialect } from "./bench.ts";
import { NO_STALL, worse, type Stall } from "./load.ts";

/** A measured program in its own process. */
export interface Target {
  url: string;
  /** Returns the processor time of all its threads in seconds, without that of a database server. */
  cpuSeconds(): number;
  /**
   * Begins to count the processor time of the database server. The returned function gives the seconds since; 0 without
   * one.
   */
  countDatabaseCpu(): () => number;
  /** Returns the resident memory in MB. */
  memoryMb(): number;
  /** Returns the longest stall of its event loop since the last call. */
  longestStall(): Promise<Stall>;
  /** Returns the longest stall since it listened, and the most computing in one stall. */
  worstStall(): Promise<Stall>;
  /** Makes `worstStall` begin now. */
  forgetStalls(): Promise<void>;
  /** Stops the search for stalls until the next call that asks for them. */
  rest(): void;
  /** Milliseconds from the start until it listened. */
  startedIn: number;
  stop(): Promise<void>;
}

/** The folder and the database of a program. Both are deleted at the end. */
export interface Home {
  dialect: Dialect;
  dataDir: string;
  databaseUrl: string | null;
  fsyncMs: number;
  server: OwnPostgresServer | null;
  remove(): Promise<void>;
}

const running = new Set<ChildProcess>();
const dataDirs = new Set<string>();
process.once("exit", clearAway);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Kills the programs that still run, and deletes their data, after a failed scenario. */
export function clearAway(): void {
  for (const child of running) child.kill("SIGKILL");
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  dataDirs.clear();
}

let server: Promise<OwnPostgresServer> | undefined;

/** @param fsyncMs - each sync of the program or, with PostgreSQL, of its server takes this much longer */
export async function makeHome(dialect: Dialect, fsyncMs = 0): Promise<Home> {
  const dataDir = mkdtempSync(join(process.env["BENCH_DIR"] ?? tmpdir(), "service-bench-"));
  dataDirs.add(dataDir);
  if (dialect === "postgres") server ??= startPostgres({ isDurable: true, wrapper: slowly(fsyncMs) });
  const own = dialect === "postgres" ? ((await server) ?? null) : null;
  const database = (await own?.createDatabase()) ?? null;
  return {
    dialect,
    dataDir,
    databaseUrl: database?.url ?? null,
    fsyncMs: dialect === "sqlite" ? fsyncMs : 0,
    server: own,
    remove: async () => {
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
      dataDirs.delete(dataDir);
    },
  };
}

/** Opens the database with the service's own code, to write rows before the service starts. */
export async function openDb({ dataDir, databaseUrl }: Home): Promise<Db> {
  const onError = (error: unknown) => console.error(error);
  return databaseUrl === null
    ? openSqlite({ dataDir, onError })
    : openPostgres({ url: databaseUrl, onError, onWarning: console.warn });
}

/**
 * Returns a command that slows down calls that sync. Other calls are not traced, so they cost almost nothing. The delay
 * is inside the call, as on a slower disk.
 */
function slowly(fsyncMs: number): string[] {
  if (fsyncMs === 0) return [];
  const calls = "fsync,fdatasync";
  const strace = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", `trace=${calls}`];
  return [...strace, "-e", `inject=${calls}:delay_exit=${fsyncMs * 1000}`];
}

/** The service as `npm start` runs it in a clone. */
export const SERVICE = "pack/start.mjs";
/** The service as its package runs it: what `pack/build.ts` makes. */
export const PACKAGE = "dist/src/cli.js";
/** As in `package.json` and the Dockerfile. docs/operating.md, Memory, says what it does. */
const SMALL_YOUNG_GENERATION = "--max-semi-space-size=16";
export const FLOORS = {
  echo: "bench/floors/echo.ts",
  hold: "bench/floors/hold.ts",
  sqlite: "bench/floors/durable.ts",
  postgres: "bench/floors/durable-postgres.ts",
} as const;

/** How many error lines of each started program are printed. */
const ERRORS_SHOWN = 3;

export interface StartOptions {
  /** Options of the JavaScript engine, such as `--cpu-prof`. */
  execArgv?: readonly string[];
  /** Without the probe, stalls are unknown, and the start is that of the program alone. */
  hasProbe?: boolean;
  /** Further settings. */
  env?: Readonly<Record<string, string>>;
}

/** Starts `program` and waits until it listens. */
export async function startTarget(
  program: string,
  home: Home,
  { execArgv = [...asStarted(program), ...profiling(program)], hasProbe = true, env = {} }: StartOptions = {},
): Promise<Target> {
  const probe = hasProbe ? ["--import", "./bench/support/stall-probe.ts"] : [];
  const command = [...slowly(home.fsyncMs), process.execPath, ...execArgv, ...probe, ...typed(program)];
  const began = performance.now();
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: {
      PATH: process.env["PATH"],
      NODE_ENV: "production",
      SERVICE_PORT: "0",
      SERVICE_DATA_DIR: home.dataDir,
      SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
      SERVICE_SECRET_KEY: "q83vASNFZ4mrze8BI0VniRb+ePsbdW9p1wqXyT0mL5A=",
      SERVICE_PAYLOAD_KEY: PAYLOAD_KEY,
      ...(home.databaseUrl !== null && { SERVICE_DATABASE_URL: home.databaseUrl }),
      ...env,
    },
  });
  running.add(child);
  const ended = once(child, "exit").then(() => void running.delete(child));
  let errors = 0;
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const address = /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
      else if (/"level":[56]0/.test(line) && errors++ < ERRORS_SHOWN) console.error(line.slice(0, 500));
    });
    child.once("exit", (code) => reject(new Error(`${program} ended with code ${code}`)));
  });
  const startedIn = performance.now() - began;
  const pid = home.fsyncMs > 0 ? childrenOf(child.pid!)[0]! : child.pid!;

  let worst = NO_STALL;
  const longestStall = async () => {
    const answer = once(child, "message") as Promise<[Stall]>;
    child.send("stalls");
    const [stall] = await answer;
    worst = worse(worst, stall);
    return stall;
  };
  const forgetStalls = async () => {
    await longestStall();
    worst = NO_STALL;
  };
  // Drop the stall of the start itself.
  if (hasProbe) await forgetStalls();

  return {
    url,
    startedIn,
    cpuSeconds: () => cpuSeconds(pid),
    countDatabaseCpu: () => {
      const look = () => new Map(home.server && childrenOf(home.server.pid).map((id) => [id, cpuSeconds(id)]));
      const before = look();
      // Processes that ended in the meantime are not counted.
      return () =>
        look()
          .entries()
          .reduce((sum, [id, used]) => sum + used - (before.get(id) ?? 0), 0);
    },
    memoryMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024,
    longestStall,
    forgetStalls,
    worstStall: async () => {
      await longestStall();
      return worst;
    },
    rest: () => void child.send("rest"),
    stop: async () => {
      process.kill(pid, program === SERVICE || program === PACKAGE ? "SIGTERM" : "SIGKILL");
      await ended;
    },
  };
}

/** Returns the options of Node with which `npm start` and the image start the service. */
function asStarted(program: string): string[] {
  if (program === PACKAGE) return [SMALL_YOUNG_GENERATION];
  return program === SERVICE ? [SMALL_YOUNG_GENERATION, "--import", "./src/node-version.mjs"] : [];
}

/** Returns the program, with its command if it has several. */
function typed(program: string): string[] {
  return program === PACKAGE ? [program, "start"] : [program];
}

/**
 * Returns options for a profile. With `BENCH_PROFILES` set to a folder, each service writes its processor time there.
 */
function profiling(program: string): string[] {
  const folder = process.env["BENCH_PROFILES"];
  return program === SERVICE && folder !== undefined ? ["--cpu-prof", "--cpu-prof-dir", folder] : [];
}

/**
 * Returns the seconds of all threads, as exact as the scheduler's counters. Ended threads are missing, which is not
 * much.
 */
function cpuSeconds(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const spent = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]);
    return spent.reduce((sum, ns) => sum + Number(ns) / 1e9, 0);
  } catch {
    // The process ended during the read.
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
}
