import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { BUNDLE_FOLDER, programOf } from "./bundled-service.ts";
import { pause } from "./pause.ts";
import { ADMIN_TOKEN } from "./service.ts";
import { RECORDING, STATEMENTS_FOLDER } from "./statements.ts";

/** A whole service in a separate process, as an operator starts it. */
export interface ServiceProcess {
  /** For example `http://127.0.0.1:41234`. */
  url: string;
  child: ChildProcess;
  /** Lines of its log so far. */
  log: string[];
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: T }>;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
  /** Asks it to stop, waits for its end, and returns its exit code. */
  stop(): Promise<number | null>;
}

/** The secrets of every service that is started here. */
export const SECRETS = {
  SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
  SERVICE_SECRET_KEY: "q83vASNFZ4mrze8BI0VniRb+ePsbdW9p1wqXyT0mL5A=",
  SERVICE_PAYLOAD_KEY: "tlR5UCElY4QIjThpO4TlL1GzTzXrQQJYa3BtvZ0FOBQ",
};

/** In a run that judges the statements of the service. */
const recording = process.env[STATEMENTS_FOLDER] === undefined ? [] : RECORDING;

/** Processes that are ended with the tests, however these end. */
const started = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of started) child.kill("SIGKILL");
});

/** Options for an unusual start. */
export interface Launch {
  /** A command that runs it, such as a tracer. The service must be the started process itself. */
  under?: readonly string[];
  /** Options of Node. With `--import`, the service gets messages of its parent. */
  node?: readonly string[];
}

/** Starts the service on a free port and waits until it listens. `env` selects the database. */
export async function startProcess(
  env: Record<string, string>,
  { under = [], node = [] }: Launch = {},
): Promise<ServiceProcess> {
  const [command, ...args] = [...under, process.execPath, ...recording, ...node, programOf("src/main.ts")];
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe", ...(node.length > 0 ? (["ipc"] as const) : [])],
    env: {
      PATH: process.env["PATH"],
      [STATEMENTS_FOLDER]: process.env[STATEMENTS_FOLDER],
      [BUNDLE_FOLDER]: process.env[BUNDLE_FOLDER],
      SERVICE_PORT: "0",
      ...SECRETS,
      ...env,
    },
  });
  // And all of its log has been read.
  const ended = once(child, "close");
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  };
  started.add(child);
  void ended.then(() => started.delete(child));

  const log: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface({ input: stream }).on("line", (line) => {
        log.push(line);
        const address = /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
        if (address !== undefined) resolve(address);
      });
    }
    child.once("exit", (code) => reject(new Error(`the service ended with code ${code}:\n${log.join("\n")}`)));
  });

  return {
    url,
    child,
    log,
    call: async <T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${ADMIN_TOKEN}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: (text === "" ? null : JSON.parse(text)) as T };
    },
    kill,
    stop: async () => {
      child.kill("SIGTERM");
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

/** Resolves when polls wait in this process, however long that takes. */
export async function untilWaiting({ url }: ServiceProcess, count: number): Promise<void> {
  for (;;) {
    const metrics = await fetch(`${url}/metrics`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    if (Number(/^service_polls_waiting (\d+)$/m.exec(await metrics.text())?.[1]) >= count) return;
    await pause();
  }
}
