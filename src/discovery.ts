import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** What programs of the same person find, so that they need no settings. */
export interface Discovery {
  /** Where the service answers on this machine. */
  url: string;
  /** Where its pages are for people, who sign in at one name of this machine only. */
  public_url: string;
  /** The token of the local agent, never the admin token; null when there is no such agent. */
  token: string | null;
  /** Whose it is: one that no longer runs has left it behind. */
  pid: number;
}

/** The one that is found, and those that started before and still run: they are found again once it has stopped. */
interface Written extends Discovery {
  before: readonly Discovery[];
}

/**
 * Writes down where a service runs, for its owner alone (mode 0600). The last one that started is found.
 * @returns takes it back
 * @throws Error of the file system, such as where the home is read-only
 */
export function writeDiscovery(path: string, discovery: Discovery): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  write(path, [discovery, ...others(path, discovery.pid)]);
  return () => {
    try {
      write(path, others(path, discovery.pid));
    } catch {
      // Readers check whether the process of an entry still runs.
    }
  };
}

/** Returns the service that programs of the same person find, if it still runs. */
export function findDiscovery(path: string): Discovery | null {
  return readDiscoveries(path).find(({ pid }) => isRunning(pid)) ?? null;
}

/** Those that stand there and run, apart from one process. */
function others(path: string, pid: number): Discovery[] {
  return readDiscoveries(path).filter((one) => one.pid !== pid && isRunning(one.pid));
}

/** The last one that started first; none where there is no such file, or another one. */
function readDiscoveries(path: string): Discovery[] {
  try {
    const { before, ...last } = JSON.parse(readFileSync(path, "utf8")) as Written;
    return [last, ...before];
  } catch {
    return [];
  }
}

function write(path: string, [last, ...before]: readonly Discovery[]): void {
  if (last === undefined) return rmSync(path, { force: true });
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, `${JSON.stringify({ ...last, before } satisfies Written, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
