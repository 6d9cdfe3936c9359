import { isDate } from "../../form/plan/times.ts";
import { invalid } from "../errors.ts";
import { DAY } from "../lib/time.ts";
import { startOf } from "./stored-totals.ts";

/** Days that statistics reach back, today included. Totals are kept for one more. */
const DAYS_MAX = 365;
const DEFAULT_DAYS = 30;

/** Days of UTC, in epoch milliseconds: from the start of the first to the end of the last. */
export interface StatsRange {
  from: number;
  to: number;
  days: number;
}

/**
 * Returns the days that statistics are asked for: the last ones, or those from one date to another.
 * @throws ServiceError VALIDATION_FAILED
 */
export function readStatsRange(
  { window_days, from, to }: { window_days?: number; from?: string; to?: string },
  now: number,
): StatsRange {
  const today = startOf(DAY, now);
  if (from === undefined && to === undefined) {
    const days = window_days ?? DEFAULT_DAYS;
    return { from: today - (days - 1) * DAY, to: today + DAY, days };
  }
  if (window_days !== undefined) throw invalid("/query/window_days", "Send either `window_days` or `from` and `to`.");
  if (from === undefined || to === undefined)
    throw invalid(from === undefined ? "/query/from" : "/query/to", "Send both `from` and `to`.");
  const [first, last] = [dayIn("from", from), dayIn("to", to)];
  if (last < first) throw invalid("/query/to", "Must not be before `from`.");
  if (last > today) throw invalid("/query/to", "Must not be after today (UTC).");
  if (first < today - (DAYS_MAX - 1) * DAY)
    throw invalid("/query/from", `Statistics reach back ${DAYS_MAX} days, including today.`);
  return { from: first, to: last + DAY, days: (last - first) / DAY + 1 };
}

function dayIn(name: string, text: string): number {
  if (!isDate(text)) throw invalid(`/query/${name}`, "Must be a date, such as 2026-01-31.");
  return Date.parse(text);
}
