/**
 * Writes to rows of many homes. A transaction over several shards would be slower, and it could be half visible for a while
 * when a node fails, so there is one transaction for each shard. One database is one shard.
 */
import { createBatcher, type Batcher, type BatchLimits } from "../lib/batch.ts";
import { ServiceError } from "../errors.ts";
import type { Db, Tx } from "./database.ts";

/** Groups rows by their shard. @param homeOf - returns the home of a row */
export function byShard<T>({ shardOf }: Pick<Db, "shardOf">, rows: readonly T[], homeOf: (row: T) => number): T[][] {
  return [...Map.groupBy(rows, (row) => shardOf(homeOf(row))).values()];
}

/**
 * Runs `write` for the rows of each shard in a transaction of its own. A shard that fails does not keep the others from
 * theirs.
 *
 * @returns the results of all shards
 * @throws the error of a shard that failed, after all have been tried; COMMIT_UNKNOWN instead of DATABASE_UNAVAILABLE if
 *   another shard was written, because callers take the latter as "nothing was"
 */
export async function writeByShard<T, R>(
  db: Db,
  rows: readonly T[],
  homeOf: (row: T) => number,
  write: (tx: Tx, rows: readonly T[]) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const errors: unknown[] = [];
  for (const some of byShard(db, rows, homeOf)) {
    try {
      results.push(await db.write((tx) => write(tx, some)));
    } catch (error) {
      errors.push(error);
    }
  }
  const [error] = errors;
  if (error === undefined) return results;
  const isUnavailable = error instanceof ServiceError && error.code === "DATABASE_UNAVAILABLE";
  throw results.length > 0 && isUnavailable ? new ServiceError("COMMIT_UNKNOWN", { cause: error }) : error;
}

/** Gathers the items of each shard into batches of their own, so that a batch can be one transaction. */
export function createShardBatcher<T, R>(
  { shardOf }: Pick<Db, "shardOf">,
  homeOf: (item: T) => number,
  limits: BatchLimits,
  run: (items: T[]) => Promise<R[]>,
  isOfOneItem: (error: unknown) => boolean,
): Batcher<T, R> {
  const batchers = new Map<number, Batcher<T, R>>();
  const batcherOf = (shard: number): Batcher<T, R> => {
    const known = batchers.get(shard);
    if (known !== undefined) return known;
    const created = createBatcher(limits, run, isOfOneItem);
    batchers.set(shard, created);
    return created;
  };
  return { add: (item) => batcherOf(shardOf(homeOf(item))).add(item) };
}
