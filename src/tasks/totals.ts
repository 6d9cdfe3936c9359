import { sql, type RawBuilder } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import type { Reader } from "../db/database.ts";
import { lowestId } from "../lib/ids.ts";
import { isOfProjects } from "./in-projects.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "./lifecycle.ts";

/** Counts for a span of time: tasks by creation, and by the time and way they closed. */
export interface Totals {
  created: number;
  ended: Record<TerminalStatus, number>;
  /** Completed tasks by channel. */
  channels: [channel: string | null, completed: number][];
  /** Total milliseconds from creation to the accepted answer, over all completed tasks. */
  took_sum: number;
  took: Took;
}

/**
 * Durations of the completed tasks. Up to `EACH_MAX` tasks: every duration in milliseconds. Above: pairs of bucket and count,
 * flattened and in order. Up to 127 ms a bucket is one millisecond. Above, each doubling has 64 buckets, so that the middle
 * of a bucket is within 1 % of every value in it.
 */
type Took = { each: number[] } | { buckets: number[] };

const DOUBLINGS = 38;
/** The last one begins after a thousand years. */
const BUCKETS = 64 * (DOUBLINGS + 2);

/** Median and 90th percentile are exact up to this many completed tasks. */
export const EACH_MAX = 1000;

export function noneEnded(): Record<TerminalStatus, number> {
  return { completed: 0, timed_out: 0, cancelled: 0, verification_exhausted: 0 };
}

export function sumTotals(parts: readonly Totals[]): Totals {
  const ended = noneEnded();
  const channels = new Map<string | null, number>();
  for (const part of parts) {
    for (const status of TERMINAL_STATUSES) ended[status] += part.ended[status];
    for (const [channel, completed] of part.channels) channels.set(channel, (channels.get(channel) ?? 0) + completed);
  }
  return {
    created: parts.reduce((sum, { created }) => sum + created, 0),
    ended,
    channels: [...channels],
    took_sum: parts.reduce((sum, { took_sum }) => sum + took_sum, 0),
    took: sumTook(
      parts.map(({ took }) => took),
      ended.completed,
    ),
  };
}

function sumTook(parts: readonly Took[], completed: number): Took {
  if (completed <= EACH_MAX) return { each: parts.flatMap((part) => ("each" in part ? part.each : [])) };
  const counts = new Float64Array(BUCKETS);
  for (const part of parts) {
    if ("each" in part) for (const took of part.each) counts[bucketOf(took)]! += 1;
    else for (let i = 0; i < part.buckets.length; i += 2) counts[part.buckets[i]!]! += part.buckets[i + 1]!;
  }
  const buckets: number[] = [];
  for (const [bucket, count] of counts.entries()) if (count > 0) buckets.push(bucket, count);
  return { buckets };
}

/** Returns the duration that `part` (0 to 1) of the completed tasks did not exceed, by nearest rank; null without tasks. */
export function rankOf({ took, ended }: Totals, part: number): number | null {
  let rank = Math.max(Math.ceil(ended.completed * part), 1);
  if ("each" in took) return took.each.toSorted((a, b) => a - b)[rank - 1] ?? null;
  let i = 0;
  while (i < took.buckets.length - 2 && (rank -= took.buckets[i + 1]!) > 0) i += 2;
  return middleOf(took.buckets[i]!);
}

function bucketOf(took: number): number {
  let width = 1;
  let bucket = 0;
  while (took >= 128 * width) {
    width *= 2;
    bucket += 64;
  }
  return Math.min(bucket + Math.floor(took / width), BUCKETS - 1);
}

function middleOf(bucket: number): number {
  if (bucket < 128) return bucket;
  const doublings = Math.floor(bucket / 64) - 1;
  const width = 2 ** doublings;
  return (bucket - 64 * doublings) * width + (width - 1) / 2;
}

/** `bucketOf` in SQL. */
function bucketInSql(took: RawBuilder<number>): RawBuilder<number> {
  const cases = Array.from({ length: DOUBLINGS + 1 }, (_, i) => {
    const width = 2 ** i;
    return sql`when ${took} < ${sql.lit(128 * width)} then ${sql.lit(64 * i)} + ${took} / ${sql.lit(width)}`;
  });
  return sql<number>`case ${sql.join(cases, sql` `)} else ${sql.lit(BUCKETS - 1)} end`;
}

const count = sql<number>`count(*)`;
const took = sql<number>`(completed_at - created_at)`;

/**
 * Counts the tasks between two moments. The cost grows with the number of tasks. The id contains the creation time.
 * @param projects - null: of all
 */
export async function readTotals(
  reader: Reader,
  from: number,
  to: number,
  projects: readonly string[] | null = null,
): Promise<Totals> {
  const tasks = () =>
    reader.query
      .selectFrom("tasks")
      .modifyEnd(beyondHome("counts and statistics"))
      .$if(projects !== null, (query) => query.where(isOfProjects(projects!)));
  const { created } = await tasks()
    .select(count.as("created"))
    .where("id", ">=", lowestId("tsk", from))
    .where("id", "<", lowestId("tsk", to))
    .executeTakeFirstOrThrow();
  const endedThen = tasks().where("ended_at", ">=", from).where("ended_at", "<", to);
  const groups = await endedThen
    .select(["status", "completed_via_channel as channel", count.as("count")])
    // PostgreSQL returns a sum as text.
    .select(sql<number | string | null>`sum(${took})`.as("took_sum"))
    .groupBy(["status", "completed_via_channel"])
    .execute();

  const ended = noneEnded();
  for (const group of groups) ended[group.status as TerminalStatus] += group.count;
  const completed = groups.filter((group) => group.status === "completed");
  // Not by status: the planner would then prefer its index, which is slower here.
  const completedThen = endedThen.where("completed_at", "is not", null);
  const totals = {
    created,
    ended,
    channels: completed.map((group): [string | null, number] => [group.channel, group.count]),
    took_sum: completed.reduce((sum, group) => sum + Number(group.took_sum), 0),
  };
  if (ended.completed === 0) return { ...totals, took: { each: [] } };
  if (ended.completed <= EACH_MAX) {
    const rows = await completedThen.select(took.as("took")).execute();
    return { ...totals, took: { each: rows.map((row) => row.took) } };
  }
  const rows = await completedThen
    .select([bucketInSql(took).as("bucket"), count.as("count")])
    .groupBy("bucket")
    .orderBy("bucket")
    .execute();
  return { ...totals, took: { buckets: rows.flatMap((row) => [row.bucket, row.count]) } };
}

/** Returns how many tasks were counted; one that was created and closed is counted twice. */
export function sizeOf({ created, ended }: Totals): number {
  return TERMINAL_STATUSES.reduce((sum, status) => sum + ended[status], created);
}

/** Returns whether more than `limit` tasks were created, or more than `limit` closed, between two moments. */
export async function hasMany(reader: Reader, from: number, to: number, limit: number): Promise<boolean> {
  const tasks = reader.query
    .selectFrom("tasks")
    .select("id")
    .limit(limit + 1)
    .modifyEnd(beyondHome("counts and statistics"));
  const created = tasks.where("id", ">=", lowestId("tsk", from)).where("id", "<", lowestId("tsk", to)).orderBy("id");
  const ended = tasks.where("ended_at", ">=", from).where("ended_at", "<", to).orderBy("ended_at");
  for (const some of [created, ended]) {
    const row = await reader.query.selectFrom(some.as("tasks")).select(count.as("count")).executeTakeFirstOrThrow();
    if (row.count > limit) return true;
  }
  return false;
}
