import { closesAfter, WEEKDAYS, type OpenHours } from "../calendars/open-time.ts";
import { MINUTE } from "../lib/time.ts";

/** Quiet hours of a person, as `HH:MM`; they may pass midnight. */
export interface QuietHours {
  from: string;
  until: string;
}

/**
 * Returns when a person may be told something.
 * @param time_zone - of the person, an IANA name
 * @param now - epoch milliseconds
 * @returns `now`, or the end of the quiet hours
 */
export function nextTime(quiet: QuietHours | null, time_zone: string, now: number): number {
  if (quiet === null || quiet.from === quiet.until) return now;
  const { from, until } = quiet;
  // Times of the day, as text, are in order.
  const awake: [string, string][] =
    from < until
      ? [
          ["00:00", from],
          [until, "24:00"],
        ]
      : [[until, from]];
  return startOf(awake, time_zone, now);
}

/** Returns the next moment at which clocks show a time. @param time - `HH:MM` @param now - epoch milliseconds; the result is later */
export function nextAt(time: string, time_zone: string, now: number): number {
  const [hours, minutes] = time.split(":").map(Number) as [number, number];
  const minute = hours * 60 + minutes + 1;
  const end = `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
  // From the next minute on: this one may be the one that shows the time.
  return startOf([[time, end]], time_zone, Math.floor(now / MINUTE) * MINUTE + MINUTE);
}

/** Returns the first moment from `now` on at which clocks show one of these times. */
function startOf(times: readonly (readonly [string, string])[], time_zone: string, now: number): number {
  const used = times.filter(([from, to]) => from < to);
  const hours: OpenHours["hours"] = Object.fromEntries(WEEKDAYS.map((day) => [day, used]));
  return closesAfter({ time_zone, hours, closed: [] }, now, 1)! - 1;
}
