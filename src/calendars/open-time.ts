import { DAY, HOUR, MINUTE } from "../lib/time.ts";
import { offsetFrom } from "./zone.ts";

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** When a team works. It is open while the clocks of its time zone show a time within its hours. */
export interface OpenHours {
  /** As in `Europe/Berlin`. */
  time_zone: string;
  /** From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. */
  hours: { readonly [day in Weekday]?: readonly (readonly [from: string, to: string])[] };
  /** Dates in the time zone without open time, as `YYYY-MM-DD`. */
  closed: readonly string[];
}

/** Milliseconds. An open time that would end later than this after its start does not end. */
export const HORIZON_MS = 366 * DAY;

/**
 * Returns when an amount of open time has passed since `start`.
 *
 * @param start - epoch milliseconds, at any time of the day
 * @param amount - milliseconds
 * @param until - epoch milliseconds: the latest result
 * @returns epoch milliseconds; null if the amount has not passed by `until`, as with a calendar that is never open
 * @throws RangeError if Node does not know the time zone
 */
export function closesAfter(
  calendar: OpenHours,
  start: number,
  amount: number,
  until: number = start + HORIZON_MS,
): number | null {
  let left = amount;
  if (left <= 0) return start;
  for (const [open, close] of openStretches(calendar, start, until)) {
    if (left <= close - open) return open + left;
    left -= close - open;
  }
  return null;
}

/**
 * Returns how much open time is between two instants, in milliseconds.
 *
 * @param start - epoch milliseconds
 * @param end - epoch milliseconds
 * @throws RangeError if Node does not know the time zone
 */
export function openBetween(calendar: OpenHours, start: number, end: number): number {
  let sum = 0;
  for (const [open, close] of openStretches(calendar, start, end)) sum += close - open;
  return sum;
}

/**
 * Yields the open time between two instants, in order: from, and to, which is not part of it, in epoch milliseconds. Open time is also
 * cut where the clocks change and where days end.
 */
function* openStretches(calendar: OpenHours, start: number, end: number): Generator<readonly [number, number]> {
  const week = WEEKDAYS.map((day) =>
    (calendar.hours[day] ?? []).map(([from, to]) => [timeOf(from), timeOf(to)] as const),
  );
  const closed = new Set(calendar.closed.map((date) => Date.parse(date) / DAY));
  for (let at = start; at < end;) {
    // Until the clocks change, the time that they show passes as fast as UTC.
    const { offset, until: next } = offsetFrom(calendar.time_zone, at, Math.min(at + DAY, end));
    for (let day = Math.floor((at + offset) / DAY); day * DAY < next + offset; day++) {
      if (closed.has(day)) continue;
      for (const [from, to] of week[weekdayOf(day)]!) {
        const open = Math.max(at, day * DAY + from - offset);
        const close = Math.min(next, day * DAY + to - offset);
        if (open < close) yield [open, close];
      }
    }
    at = next;
  }
}

/** @param day - days since 1970-01-01, a Thursday @returns 0 for Monday, to 6 */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** @param time - `HH:MM` @returns milliseconds since midnight */
function timeOf(time: string): number {
  return Number(time.slice(0, 2)) * HOUR + Number(time.slice(3)) * MINUTE;
}
