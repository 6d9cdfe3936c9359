import { existsSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const ROOM_BYTES = 2 ** 31;

/**
 * Makes an empty folder for files that need not survive: in memory if the machine has enough, because ext4 is slow to
 * create files after as many were deleted, and databases wait for the disk. Programs may be forbidden to run from it.
 */
export function makeRoom(prefix: string): string {
  return mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), prefix));
}

function hasMemory(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ROOM_BYTES;
}
