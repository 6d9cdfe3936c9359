import type { Db } from "../db/database.ts";
import { SECOND } from "../lib/time.ts";

/*
 * Small numbers are counted at each request. A count that reads many tasks is kept for some seconds, and requests that come
 * while it is made share it. Each process keeps its own counts.
 */

/** A count that reads at most this many tasks along an index is made each time. */
export const COUNTED_EACH_TIME = 5000;
/** The same for a count that reads the whole row of each task, which takes longer. */
export const ROWS_COUNTED_EACH_TIME = 500;
/** Maximum age of a count that is kept. */
const KEPT_MS = 10 * SECOND;
/** Counts that are kept at a time. The one that was made first is dropped for another. */
const KEPT_MAX = 500;

interface Kept {
  /** When the counting began, by the store's clock. */
  at: number;
  value: unknown;
}

interface Counts {
  kept: Map<string, Kept>;
  running: Map<string, Promise<Counted<unknown>>>;
}

/** What was counted, and whether that read so many tasks that it is kept. */
export interface Counted<T> {
  value: T;
  isMany: boolean;
}

const countsOf = new WeakMap<Db, Counts>();

function findCounts(db: Db): Counts {
  const found = countsOf.get(db);
  if (found) return found;
  const counts: Counts = { kept: new Map(), running: new Map() };
  countsOf.set(db, counts);
  return counts;
}

/** Returns a count that is not too old, or null. A clock that was set back makes it as old as one that went on. */
export function keptCount<T>(db: Db, key: string): { value: T } | null {
  const kept = findCounts(db).kept.get(key);
  return kept && Math.abs(db.now() - kept.at) < KEPT_MS ? { value: kept.value as T } : null;
}

/**
 * Returns the kept count, or counts. Of requests that come at the same time, one counts for all if there are many tasks. A small
 * number is never shared, because a request must see what was written before it. A failed count is not kept.
 *
 * @param key - names what is counted, and the scope: callers of different scopes must not share a count
 */
export async function countRarely<T>(db: Db, key: string, count: () => Promise<Counted<T>>): Promise<T> {
  const kept = keptCount<T>(db, key);
  if (kept) return kept.value;
  const counts = findCounts(db);
  const other = counts.running.get(key) as Promise<Counted<T>> | undefined;
  if (other) {
    const { value, isMany } = await other;
    if (isMany) return value;
  }

  const at = db.now();
  const running = count();
  if (!counts.running.has(key)) counts.running.set(key, running);
  try {
    const { value, isMany } = await running;
    counts.kept.delete(key);
    if (isMany) keep(counts, key, { at, value });
    return value;
  } finally {
    if (counts.running.get(key) === running) counts.running.delete(key);
  }
}

function keep({ kept }: Counts, key: string, count: Kept): void {
  kept.set(key, count);
  const [first] = kept.keys();
  if (kept.size > KEPT_MAX) kept.delete(first!);
}

/** Names the scope of a count in its key: some projects; null: all. */
export function nameOf(projects: readonly string[] | null): string {
  return projects === null ? "all projects" : projects.toSorted().join(",");
}
