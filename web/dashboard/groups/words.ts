import type { Kind } from "./queries.ts";

/** What a kind is called, as a heading of its own and before a name. */
export const KIND_WORDS: Readonly<Record<Kind, string>> = { pool: "Pool", role: "Role", access_level: "Access level" };

export function peopleWord(count: number): string {
  return count === 1 ? "1 person" : `${count} people`;
}

/** @param isAll - false: there may be more */
export function waitingWord(count: number, isAll: boolean): string {
  if (count === 0) return isAll ? "Nothing waits" : "Nothing found that waits";
  if (!isAll) return `${count} or more tasks wait`;
  return count === 1 ? "1 task waits" : `${count} tasks wait`;
}
