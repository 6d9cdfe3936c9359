import { sql } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import type { Db, Reader } from "../db/database.ts";
import { DAY, HOUR, isoTime, SECOND } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import { projectsOf } from "../people/projects.ts";
import { requireMay } from "./access.ts";
import { isOfProjects } from "./in-projects.ts";
import { OPEN_STATUSES, TERMINAL_STATUSES } from "./lifecycle.ts";
import type { Stats, StatsQuery } from "./schema.ts";
import { readStatsRange, type StatsRange } from "./stats-range.ts";
import { findFirstDay, findTotals, startOf, type Period } from "./stored-totals.ts";
import { noneEnded, rankOf, readTotals, sumTotals } from "./totals.ts";

/**
 * Returns the statistics of some days (UTC), the last 30 by default. Open tasks are counted now, closed tasks by
 * the time they closed. Past hours come from stored totals; only hours without totals are counted. (spec: Other, stats)
 * @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, VALIDATION_FAILED
 */
export async function readStats({ db }: { db: Db }, caller: Caller, { project, ...asked }: StatsQuery): Promise<Stats> {
  requireMay(caller, "stats");
  const projects = await projectsOf(db, caller, project);
  const now = db.now();
  const range = readStatsRange(asked, now);
  const open = await (projects === null ? countOpen(db, now) : countOpenOf(db, projects));
  const periods = await (projects === null ? readPeriods(db.heavy, range, now) : readDays(db.heavy, projects, range));
  const whole = sumTotals(periods.map(({ totals }) => totals));

  const days = Array.from({ length: range.days }, (_, i) => ({
    date: new Date(range.from + i * DAY).toISOString().slice(0, 10),
    created: 0,
    ...noneEnded(),
  }));
  for (const { start, totals } of periods) {
    const day = days[(startOf(DAY, start) - range.from) / DAY]!;
    day.created += totals.created;
    for (const status of TERMINAL_STATUSES) day[status] += totals.ended[status];
  }
  const terminal = TERMINAL_STATUSES.reduce((sum, status) => sum + whole.ended[status], 0);
  const { completed } = whole.ended;

  return {
    window_days: range.days,
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

/** Returns the totals of some days, in periods within one day each. */
async function readPeriods(reader: Reader, range: StatsRange, now: number): Promise<Period[]> {
  const last = range.to - DAY;
  // Days before the first task have no stored totals, and counting them would take long.
  const from = await firstOf(reader, range);
  const days = await findTotals(reader, DAY, { from, to: Math.min(range.to, startOf(DAY, now)), now });
  const periods = [...days];
  const known = new Set(days.map(({ start }) => start));
  for (let day = from; day <= last; day += DAY) {
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

/** Returns the first day of a range on which something can have happened. */
async function firstOf(reader: Reader, { from, to }: StatsRange): Promise<number> {
  const last = to - DAY;
  return Math.max(from, Math.min((await findFirstDay(reader)) ?? last, last));
}

/** Returns the totals of some projects by day. They are not stored, because few ask. */
async function readDays(reader: Reader, projects: readonly string[], range: StatsRange): Promise<Period[]> {
  const periods: Period[] = [];
  for (let day = await firstOf(reader, range); day < range.to; day += DAY)
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
