import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { DAY, isoTime, SECOND } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import { requireMay } from "./access.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "./lifecycle.ts";
import type { Stats } from "./schema.ts";

/**
 * The numbers of the last `windowDays` days (UTC, today included): open tasks as they are now, ended ones by when they
 * ended. (spec: Other, stats)
 */
export async function readStats({ db }: Context, caller: Caller, windowDays: number): Promise<Stats> {
  requireMay(caller, "stats");
  const now = db.now();
  const today = Math.floor(now / DAY);
  const since = (today - windowDays + 1) * DAY;
  const reader = db.heavy;
  const ended = await endedByDay(reader, since);
  const created = await createdByDay(reader, since);
  const open = await openByStatus(reader);
  const channels = await completedByChannel(reader, since);
  const times = await completionTimes(reader, since);

  const days = Array.from({ length: windowDays }, (_, i) => ({
    date: new Date(since + i * DAY).toISOString().slice(0, 10),
    created: 0,
    ...noneEnded(),
  }));
  const first = today - windowDays + 1;
  // A row written while this is read may be of tomorrow.
  for (const { day, count } of created) if (days[day - first]) days[day - first]!.created = count;
  for (const { day, status, count } of ended) if (days[day - first]) days[day - first]![status] = count;

  const totals = { created: open.get("created") ?? 0, rejected: open.get("rejected") ?? 0, ...noneEnded() };
  for (const day of days) for (const status of TERMINAL_STATUSES) totals[status] += day[status];
  const terminal = TERMINAL_STATUSES.reduce((sum, status) => sum + totals[status], 0);

  return {
    window_days: windowDays,
    generated_at: isoTime(now),
    totals,
    completion_rate: terminal === 0 ? null : totals.completed / terminal,
    avg_completion_seconds: times.average,
    median_completion_seconds: times.median,
    p90_completion_seconds: times.p90,
    by_day: days,
    by_channel: channels,
  };
}

function noneEnded(): Record<TerminalStatus, number> {
  return { completed: 0, timed_out: 0, cancelled: 0, verification_exhausted: 0 };
}

/** The day of a time, counted from the epoch; integers divide to integers in both databases. */
const dayOf = (column: string) => sql<number>`${sql.ref(column)} / ${sql.lit(DAY)}`;
const count = sql<number>`count(*)`;

async function endedByDay(reader: Reader, since: number) {
  const rows = await reader.query
    .selectFrom("tasks")
    .select([dayOf("ended_at").as("day"), "status", count.as("count")])
    .where("ended_at", ">=", since)
    .groupBy([dayOf("ended_at"), "status"])
    .execute();
  return rows.map((row) => ({ ...row, status: row.status as TerminalStatus }));
}

async function createdByDay(reader: Reader, since: number) {
  return reader.query
    .selectFrom("tasks")
    .select([dayOf("created_at").as("day"), count.as("count")])
    .where("created_at", ">=", since)
    .groupBy(dayOf("created_at"))
    .execute();
}

async function openByStatus(reader: Reader): Promise<Map<string, number>> {
  const rows = await reader.query
    .selectFrom("tasks")
    .select(["status", count.as("count")])
    .where("ended_at", "is", null)
    .groupBy("status")
    .execute();
  return new Map(rows.map((row) => [row.status, row.count]));
}

async function completedByChannel(reader: Reader, since: number) {
  const rows = await reader.query
    .selectFrom("tasks")
    .select(["completed_via_channel as channel", count.as("completed")])
    .where("ended_at", ">=", since)
    .where("status", "=", "completed")
    .groupBy("completed_via_channel")
    .execute();
  return rows.toSorted((a, b) => b.completed - a.completed || (a.channel ?? "").localeCompare(b.channel ?? ""));
}

/** Average, median and 90th percentile of the time from creation to the accepted answer, in seconds; by nearest rank. */
async function completionTimes(reader: Reader, since: number) {
  const answered = reader.query.selectFrom("tasks").where("ended_at", ">=", since).where("status", "=", "completed");
  const took = sql<number>`completed_at - created_at`;
  const { number, average } = await answered
    .select([count.as("number"), sql<number | string | null>`avg(${took})`.as("average")])
    .executeTakeFirstOrThrow();
  const rank = async (part: number): Promise<number | null> => {
    if (number === 0) return null;
    const row = await answered
      .select(took.as("took"))
      .orderBy(took)
      .limit(1)
      .offset(Math.max(Math.ceil(number * part) - 1, 0))
      .executeTakeFirst();
    return row ? row.took / SECOND : null;
  };
  return { average: average === null ? null : Number(average) / SECOND, median: await rank(0.5), p90: await rank(0.9) };
}
