import { sql } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import type { Db, Reader } from "../db/database.ts";
import { DAY, HOUR, isoTime, SECOND } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import { projectsOf } from "../people/projects.ts";
import { requireMay } from "./access.ts";
import { isOfProjects } from "./in-projects.ts";
import { OPEN_STATUSES, TERMINAL_STATUSES } from "./lifecycle.ts";
import type { Stats } from "./schema.ts";
import { findFirstDay, findTotals, startOf, type Period } from "./stored-totals.ts";
import { noneEnded, rankOf, readTotals, sumTotals } from "./totals.ts";

/**
 * Returns the statistics of the last `windowDays` days (UTC, including today). Open tasks are counted now, closed tasks by
 * the time they closed. Past hours come from stored totals; only hours without totals are counted. (spec: Other, stats)
 */
export async function readStats(
  { db }: { db: Db },
  caller: Caller,
  windowDays: number,
  project: string | undefined,
): Promise<Stats> {
  requireMay(caller, "stats");
  const projects = await projectsOf(db, caller, project);
  const now = db.now();
  const since = startOf(DAY, now) - (windowDays - 1) * DAY;
  const open = await (projects === null ? countOpen(db, now) : countOpenOf(db, projects));
  const periods = await (projects === null
    ? readPeriods(db.heavy, since, now)
    : readDays(db.heavy, projects, since, now));
  const whole = sumTotals(periods.map(({ totals }) => totals));

  const days = Array.from({ length: windowDays }, (_, i) => ({
    date: new Date(since + i * DAY).toISOString().slice(0, 10),
    created: 0,
    ...noneEnded(),
  }));
  for (const { start, totals } of periods) {
    const day = days[(startOf(DAY, start) - since) / DAY]!;
    day.created += totals.created;
    for (const status of TERMINAL_STATUSES) day[status] += totals.ended[status];
  }
  const terminal = TERMINAL_STATUSES.reduce((sum, status) => sum + whole.ended[status], 0);
  const { completed } = whole.ended;

  return {
    window_days: windowDays,
    generated_at: isoTime(now),
    totals: { ...open, ...whole.ended },
    completion_rate: terminal === 0 ? null : completed / terminal,
    avg_completion_seconds: completed === 0 ? null : whole.took_sum / completed / SECOND,
    median_completion_seconds: inSeconds(rankOf(whole, 0.5)),
    p90_completion_seconds: inSeconds(rankOf(whole, 0.9)),
    by_day: days,
    by_channel: whole.channels
      .map(([channel, number]) => ({ channel, completed: number }))
      .toSorted((a, b) => b.completed - a.completed || (a.channel ?? "").localeCompare(b.channel ?? "")),
  };
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / SECOND;
}

/** Returns the totals from `since` (the start of a day) to the end of today, in periods within one day each. */
async function readPeriods(reader: Reader, since: number, now: number): Promise<Period[]> {
  const today = startOf(DAY, now);
  // Days before the first task have no stored totals, and counting them would take long.
  const from = Math.max(since, Math.min((await findFirstDay(reader)) ?? today, today));
  const days = await findTotals(reader, DAY, { from, to: today, now });
  const periods = [...days];
  const known = new Set(days.map(({ start }) => start));
  for (let day = from; day <= today; day += DAY) {
    if (known.has(day)) continue;
    let counted = day;
    for (const hour of await findTotals(reader, HOUR, { from: day, to: day + DAY, now })) {
      if (hour.start > counted) periods.push(await readPeriod(reader, counted, hour.start));
      periods.push(hour);
      counted = hour.start + HOUR;
    }
    if (counted < day + DAY) periods.push(await readPeriod(reader, counted, day + DAY));
  }
  return periods;
}

/** Returns the totals of some projects by day. They are not stored, because few ask. */
async function readDays(reader: Reader, projects: readonly string[], since: number, now: number): Promise<Period[]> {
  const today = startOf(DAY, now);
  const from = Math.max(since, Math.min((await findFirstDay(reader)) ?? today, today));
  const periods: Period[] = [];
  for (let day = from; day <= today; day += DAY)
    periods.push({ start: day, totals: await readTotals(reader, day, day + DAY, projects) });
  return periods;
}

async function readPeriod(reader: Reader, start: number, end: number): Promise<Period> {
  return { start, totals: await readTotals(reader, start, end) };
}

/** Above this number, open tasks are counted less often, because each count reads all of them. */
const OPEN_COUNTED_EACH_TIME = 5000;
const OPEN_COUNTED_EVERY_MS = 10 * SECOND;

type OpenCounts = Record<(typeof OPEN_STATUSES)[number], number>;
const lastCounts = new WeakMap<Db, { at: number; counts: OpenCounts }>();

async function countOpenOf(db: Db, projects: readonly string[]): Promise<OpenCounts> {
  const rows = await db.heavy.query
    .selectFrom("tasks")
    .select(["status", sql<number>`count(*)`.as("count")])
    .where("status", "in", OPEN_STATUSES)
    .where(isOfProjects(projects))
    .groupBy("status")
    .modifyEnd(beyondHome("counts and statistics"))
    .execute();
  return toOpenCounts(rows);
}

function toOpenCounts(rows: readonly { status: string; count: number }[]): OpenCounts {
  const countOf = (status: string) => rows.find((row) => row.status === status)?.count ?? 0;
  return { created: countOf("created"), rejected: countOf("rejected") };
}

async function countOpen(db: Db, now: number): Promise<OpenCounts> {
  const last = lastCounts.get(db);
  if (last && Math.abs(now - last.at) < OPEN_COUNTED_EVERY_MS) return last.counts;
  const rows = await db.heavy.query
    .selectFrom("tasks")
    .select(["status", sql<number>`count(*)`.as("count")])
    .where("status", "in", OPEN_STATUSES)
    .groupBy("status")
    .modifyEnd(beyondHome("counts and statistics"))
    .execute();
  const counts = toOpenCounts(rows);
  if (counts.created + counts.rejected > OPEN_COUNTED_EACH_TIME) lastCounts.set(db, { at: now, counts });
  else lastCounts.delete(db);
  return counts;
}
