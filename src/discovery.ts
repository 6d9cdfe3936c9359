import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** What programs of the same person find, so that they need no settings. */
export interface Discovery {
  /** Where the service answers on this machine. */
  url: string;
  /** Where its pages are for people, who sign in at one name of this machine only. */
  public_url: string;
  /** The admin token; null when it is the operator's own, who has it where it belongs. */
  token: string | null;
  /** Whose it is: one that no longer runs has left it behind. */
  pid: number;
}

/**
 * Writes down where a service runs, for its owner alone (mode 0600). The last one that starts is found.
 * @returns takes it back, unless another service has written there since
 * @throws Error of the file system, such as where the home is read-only
 */
export function writeDiscovery(path: string, discovery: Discovery): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, `${JSON.stringify(discovery, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return () => {
    try {
      const { pid } = JSON.parse(readFileSync(path, "utf8")) as Partial<Discovery>;
      if (pid === discovery.pid) rmSync(path);
    } catch {
      // It is gone, or somebody else's.
    }
  };
}
