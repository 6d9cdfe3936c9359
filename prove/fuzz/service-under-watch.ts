import { existsSync, readFileSync } from "node:fs";
import { startProcess, type ServiceProcess } from "../../test/support/processes.ts";
import { CONNECT_MARK, STALL_MARK, type Stall } from "./watch.ts";

/** A service whose event loop, connections and log are monitored from outside. */
export interface WatchedService extends ServiceProcess {
  port: number;
  /** Returns the stalls since the last call. */
  stalls(): Stall[];
  /** Returns address and port of each outgoing connection, except to a database on a Unix socket. */
  connections(): string[];
  /** Returns log lines that need an operator, and lines that are not in the log's format. */
  complaints(expected: readonly string[]): string[];
  /** Returns the current and the highest use in MB; null where the system does not report it. */
  memory(): { now: number; peak: number } | null;
}

export async function startWatched(env: Record<string, string>): Promise<WatchedService> {
  const service = await startProcess({
    NODE_OPTIONS: `--import=${new URL("./watch.ts", import.meta.url).href}`,
    FUZZ_WATCH: "1",
    ...env,
  });
  let read = 0;
  const unread: Stall[] = [];
  const connections: string[] = [];
  const others: string[] = [];
  const readLog = () => {
    for (; read < service.log.length; read++) {
      const line = service.log[read]!;
      if (line.startsWith(STALL_MARK)) unread.push(JSON.parse(line.slice(STALL_MARK.length)) as Stall);
      else if (line.startsWith(CONNECT_MARK)) connections.push(line.slice(CONNECT_MARK.length));
      else others.push(line);
    }
  };
  return {
    ...service,
    port: Number(new URL(service.url).port),
    stalls: () => {
      readLog();
      return unread.splice(0);
    },
    connections: () => {
      readLog();
      return connections;
    },
    complaints: (expected) => {
      readLog();
      return others.filter((line) => {
        const entry = line.startsWith("{") ? (JSON.parse(line) as { level: number; error_code?: string }) : null;
        return entry === null || (entry.level >= 50 && !expected.includes(entry.error_code ?? ""));
      });
    },
    memory: () => {
      const path = `/proc/${service.child.pid}/status`;
      if (!existsSync(path)) return null;
      const status = readFileSync(path, "utf8");
      const of = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
      return { now: of("VmRSS"), peak: of("VmHWM") };
    },
  };
}
