import { readFileSync } from "node:fs";

/** Returns how many files and sockets this process may have open. Infinity where the system does not say it, or has no limit. */
export function openFilesMax(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // Only Linux has this file.
    return Number.POSITIVE_INFINITY;
  }
}
