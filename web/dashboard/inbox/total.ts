import type { TaskCounts } from "../api.ts";
import type { Scope } from "../queries.ts";
import { isFiltered } from "./filters.tsx";

/** Returns the number of open tasks in a list without filters; undefined while it loads, and for closed tasks. */
export function waitingIn(counts: TaskCounts | undefined, { scope }: Pick<Scope, "scope">): number | undefined {
  return { all: counts?.open, mine: counts?.mine, unclaimed: counts?.unclaimed, done: undefined }[scope];
}

/** Returns how many tasks a list has. Those of a long list with filters are not counted: "50+". */
export function totalOf(listed: number, hasMore: boolean, counts: TaskCounts | undefined, search: Scope): string {
  const waiting = isFiltered(search) ? undefined : waitingIn(counts, search);
  // A new task may be in the list before it is counted.
  return waiting !== undefined && waiting >= listed ? String(waiting) : `${listed}${hasMore ? "+" : ""}`;
}
