import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A small file system in memory that is quickly full; it is gone when the process ends. */
export interface SmallDisk {
  /** A folder on it that does not exist yet. */
  folder: string;
  fill(): void;
  /** Removes what `fill` wrote. */
  clear(): void;
  /** Works only while no process has a file open for writing. */
  setReadOnly(isReadOnly: boolean): void;
  remove(): void;
}

/** @returns null where this user may not mount */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  if (process.platform !== "linux") return null;
  const home = realpathSync(mkdtempSync(join(tmpdir(), "prove-disk-")));
  // PostgreSQL runs as another user.
  chmodSync(home, 0o755);
  const mount = join(home, "disk");
  mkdirSync(mount);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", mount]).status !== 0) {
    rmSync(home, { recursive: true });
    return null;
  }
  const remove = () => {
    spawnSync("umount", ["--lazy", mount]);
    rmSync(home, { recursive: true, force: true });
  };
  process.once("exit", remove);
  const ballast = join(mount, "ballast");
  return {
    folder: join(mount, "data"),
    fill: () => fillWith(ballast),
    clear: () => rmSync(ballast),
    setReadOnly: (isReadOnly) => void execFileSync("mount", ["-o", `remount,${isReadOnly ? "ro" : "rw"}`, mount]),
    remove: () => {
      process.off("exit", remove);
      remove();
    },
  };
}

function fillWith(path: string): void {
  const file = openSync(path, "w");
  let size = 1 << 20;
  try {
    while (size > 0) {
      try {
        writeSync(file, Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        size >>= 1;
      }
    }
  } finally {
    closeSync(file);
  }
}
