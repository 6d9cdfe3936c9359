/**
 * Citus: a PostgreSQL that spreads tables over several nodes. The tables of tasks are spread by their home
 * (`service spread`); all others stay on the coordinator, to which every process connects.
 *
 * Statements there have other limits, so it is a dialect of its own, asked for once when a process starts.
 * `beyond-home.ts` lists what may not be one statement there.
 */
import type { Pool } from "pg";
import { MINUTE } from "../lib/time.ts";
import { HOMES } from "./home.ts";

/** A shard may be split while processes run. Until they notice, writes to several of its homes may fail. */
const LOOK_EVERY_MS = 1 * MINUTE;

/** Where the homes are. */
export interface Shards {
  /** Returns the id of the shard that has the rows of a home. */
  shardOf(home: number): number;
  stop(): void;
}

/** Follows where Citus keeps the homes. @returns null if the tables of tasks are not spread */
export async function followShards(
  pool: Pick<Pool, "query">,
  onError: (error: unknown) => void,
): Promise<Shards | null> {
  if (!(await areTasksSpread(pool))) return null;
  let shards = await readShards(pool);
  const look = async () => {
    shards = await readShards(pool);
  };
  const timer = setInterval(() => void look().catch(onError), LOOK_EVERY_MS);
  timer.unref();
  return { shardOf: (home) => shards[home]!, stop: () => clearInterval(timer) };
}

/** Returns whether Citus has spread the table of tasks. */
export async function areTasksSpread(pool: Pick<Pool, "query">): Promise<boolean> {
  const { rows: found } = await pool.query<{ is_there: boolean }>(
    "select to_regclass('pg_catalog.pg_dist_partition') is not null and to_regclass('tasks') is not null as is_there",
  );
  if (found[0]?.is_there !== true) return false;
  const { rows } = await pool.query(
    "select from pg_dist_partition where logicalrelid = 'tasks'::regclass and partmethod = 'h'",
  );
  return rows.length > 0;
}

async function readShards(pool: Pick<Pool, "query">): Promise<number[]> {
  const { rows } = await pool.query<{ shard: number }>(
    `select get_shard_id_for_distribution_column('tasks', home) as shard
    from generate_series(0, ${HOMES - 1}) as homes(home) order by home`,
  );
  return rows.map(({ shard }) => shard);
}
