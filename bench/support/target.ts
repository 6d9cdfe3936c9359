import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { postgres } from "../../test/support/postgres.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY } from "../../test/support/service.ts";

export type Dialect = "sqlite" | "postgres";

/** A program that is measured, in a process of its own. */
export interface Target {
  url: string;
  pid: number;
  /** Seconds of processor time it has used, with all its threads; not those of a database server. */
  cpuSeconds(): number;
  /** Resident memory, MB. */
  memoryMb(): number;
  /** The longest stall of its event loop since this was asked before. */
  longestStall(): Promise<{ ms: number; cpu_ms: number }>;
  /** Milliseconds from its start to the moment at which it listened. */
  startedIn: number;
  stop(): Promise<void>;
}

/** Where programs keep their data; it is deleted with everything in it. */
export interface Home {
  dialect: Dialect;
  env: Record<string, string>;
  remove(): Promise<void>;
}

export async function makeHome(dialect: Dialect): Promise<Home> {
  const dataDir = mkdtempSync(join(process.env["BENCH_DIR"] ?? tmpdir(), "service-bench-"));
  const database = dialect === "postgres" ? await (await postgres()).createDatabase() : null;
  return {
    dialect,
    env: {
      SERVICE_PORT: "0",
      SERVICE_DATA_DIR: dataDir,
      SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
      SERVICE_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      SERVICE_PAYLOAD_KEY: PAYLOAD_KEY,
      ...(database && { SERVICE_DATABASE_URL: database.url }),
    },
    remove: async () => {
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export const SERVICE = "src/main.ts";
export const FLOORS = {
  echo: "bench/floors/echo.ts",
  sqlite: "bench/floors/durable.ts",
  postgres: "bench/floors/durable-postgres.ts",
} as const;

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export interface StartOptions {
  /** Each `fsync` and `fdatasync` of the program takes this much longer; needs `strace`. */
  fsyncMs?: number;
  /** For the JavaScript engine, such as `--cpu-prof`. */
  execArgv?: string[];
}

/** Starts `program` and waits until it listens. */
export async function startTarget(
  program: string,
  env: Record<string, string>,
  { fsyncMs = 0, execArgv = [] }: StartOptions = {},
): Promise<Target> {
  const node = [process.execPath, ...execArgv, "--import", "./bench/support/stall-probe.ts", program];
  const slow = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=fsync,fdatasync", "-o", "/dev/null"];
  slow.push("-e", `inject=fsync,fdatasync:delay_exit=${fsyncMs * 1000}`);
  const [command, ...args] = fsyncMs > 0 ? [...slow, ...node] : node;
  const began = performance.now();
  const child = spawn(command!, args, {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: { PATH: process.env["PATH"], NODE_ENV: "production", ...env },
  });
  running.add(child);
  const ended = once(child, "exit").then(() => void running.delete(child));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const address = /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once("exit", (code) => reject(new Error(`${program} ended with code ${code}`)));
  });
  const startedIn = performance.now() - began;
  const pid = fsyncMs > 0 ? childOf(child.pid!) : child.pid!;

  return {
    url,
    pid,
    startedIn,
    cpuSeconds: () => cpuSeconds(pid),
    memoryMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024,
    longestStall: async () => {
      const answer = once(child, "message") as Promise<[{ ms: number; cpu_ms: number }]>;
      child.send("stalls");
      return (await answer)[0];
    },
    stop: async () => {
      process.kill(pid, "SIGTERM");
      const isService = program === SERVICE;
      if (!isService) process.kill(pid, "SIGKILL");
      await ended;
    },
  };
}

const TICKS_PER_SECOND = 100;

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);
}
