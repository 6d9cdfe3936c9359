import type { Db, Reader } from "../db/database.ts";
import { DAY, HOUR, isoTime, SECOND } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import { projectsOf } from "../people/projects.ts";
import { requireMay } from "./access.ts";
import { countOpen } from "./count-open.ts";
import { COUNTED_EACH_TIME, countRarely, nameOf, ROWS_COUNTED_EACH_TIME } from "./counted-rarely.ts";
import { TERMINAL_STATUSES } from "./lifecycle.ts";
import type { Stats, StatsQuery } from "./schema.ts";
import { findTotalsOf } from "./project-totals.ts";
import { readStatsRange, type StatsRange } from "./stats-range.ts";
import { findFirstDay, findTotals, startOf, type Period } from "./stored-totals.ts";
import { hasMany, noneEnded, rankOf, readTotals, sizeOf, sumTotals, type Totals } from "./totals.ts";

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
  const { created, rejected } = await countOpen(db, projects);
  const { kept, counted } = await readPeriods(db, projects, range, now);
  const past = sumKept(db, `${range.from} to ${range.to} in ${nameOf(projects)}`, kept);
  const whole = sumTotals([past, ...counted.map(({ totals }) => totals)]);

  const days = Array.from({ length: range.days }, (_, i) => ({
    date: new Date(range.from + i * DAY).toISOString().slice(0, 10),
    created: 0,
    ...noneEnded(),
  }));
  for (const { start, totals } of [...kept, ...counted]) {
    const day = days[(startOf(DAY, start) - range.from) / DAY]!;
    day.created += totals.created;
    for (const status of TERMINAL_STATUSES) day[status] += totals.ended[status];
  }
  const terminal = TERMINAL_STATUSES.reduce((sum, status) => sum + whole.ended[status], 0);
  const { completed } = whole.ended;

  return {
    window_days: range.days,
    generated_at: isoTime(now),
    totals: { created, rejected, ...whole.ended },
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

/** Returns the totals of some days, in periods within one day each: those that are kept, and the rest, which is counted. */
async function readPeriods(
  db: Db,
  projects: readonly string[] | null,
  range: StatsRange,
  now: number,
): Promise<{ kept: Period[]; counted: Period[] }> {
  const reader = db.heavy;
  const last = range.to - DAY;
  const find = (span: number, from: number, to: number) =>
    projects === null
      ? findTotals(reader, span, { from, to, now })
      : findTotalsOf(reader, projects, span, { from, to, now });
  // Days before the first task have no stored totals, and counting them would take long.
  const from = await firstOf(reader, range);
  const kept = await find(DAY, from, Math.min(range.to, startOf(DAY, now)));
  const counted: Period[] = [];
  const known = new Set(kept.map(({ start }) => start));
  for (let day = from; day <= last; day += DAY) {
    if (known.has(day)) continue;
    let reached = day;
    for (const hour of await find(HOUR, day, day + DAY)) {
      if (hour.start > reached) counted.push(await readPeriod(db, projects, reached, hour.start));
      kept.push(hour);
      reached = hour.start + HOUR;
    }
    if (reached < day + DAY) counted.push(await readPeriod(db, projects, reached, day + DAY));
  }
  return { kept, counted };
}

interface Sum {
  parts: readonly Totals[];
  sum: Totals;
}
const lastSums = new WeakMap<Db, Map<string, Sum>>();
/** Sums that are remembered. More are forgotten together. */
const SUMS_MAX = 100;

/** Returns the sum of kept totals. It is the last one as long as these are the same: a month has thousands of durations. */
function sumKept(db: Db, name: string, periods: readonly Period[]): Totals {
  const parts = periods.map(({ totals }) => totals);
  const last = lastSums.get(db);
  const sums = last && last.size < SUMS_MAX ? last : new Map<string, Sum>();
  lastSums.set(db, sums);
  const found = sums.get(name);
  if (found?.parts.length === parts.length && parts.every((part, i) => part === found.parts[i])) return found.sum;
  const sum = sumTotals(parts);
  sums.set(name, { parts, sum });
  return sum;
}

/** Returns the first day of a range on which something can have happened. */
async function firstOf(reader: Reader, { from, to }: StatsRange): Promise<number> {
  const last = to - DAY;
  return Math.max(from, Math.min((await findFirstDay(reader)) ?? last, last));
}

/** Counts the tasks of a period without stored totals: now if they are few. */
async function readPeriod(db: Db, projects: readonly string[] | null, start: number, end: number): Promise<Period> {
  const totals = await countRarely(db, `totals of ${start} to ${end} in ${nameOf(projects)}`, async () => {
    const value = await readTotals(db.heavy, start, end, projects);
    // The tasks of other projects may have been read as well.
    const isMany =
      sizeOf(value) > COUNTED_EACH_TIME ||
      (projects !== null && (await hasMany(db.heavy, start, end, ROWS_COUNTED_EACH_TIME)));
    return { value, isMany };
  });
  return { start, totals };
}
