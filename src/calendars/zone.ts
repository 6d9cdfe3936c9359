import { isTimeZone } from "../lib/time-zones.ts";
import { HOUR, MINUTE, SECOND } from "../lib/time.ts";

/** Formats of time zones that were asked for before, because creating one costs more than fifty uses. */
const formats = new Map<string, Intl.DateTimeFormat>();
/** Names are not case-sensitive, so clients can write each zone in many ways. */
const FORMATS_KEPT = 500;

/** Whether this names a time zone that Node knows, such as `Europe/Berlin` or `UTC`. Offsets such as `+01:00` do not. */
export function isZoneName(name: string): boolean {
  return /^[a-z]/i.test(name) && isTimeZone(name);
}

/** @param instant - epoch milliseconds @returns milliseconds @throws RangeError if Node does not know the zone */
function offsetAt(zone: string, instant: number): number {
  // Ends in GMT, GMT+05:30 or, long ago, GMT-00:44:30.
  const [, sign, hours, minutes, seconds = "0"] = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(
    formatOf(zone).format(instant),
  )!;
  if (sign === undefined) return 0;
  const size = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
  return sign === "-" ? -size : size;
}

/**
 * Returns how far the clocks of a zone are ahead of UTC from `start` on, in milliseconds, and until when: the first instant at which
 * they are changed, or `end`.
 *
 * @param start - epoch milliseconds
 * @param end - epoch milliseconds, at most a day later: no zone changes its clocks twice in a day
 * @throws RangeError if Node does not know the zone
 */
export function offsetFrom(zone: string, start: number, end: number): { offset: number; until: number } {
  const offset = offsetAt(zone, start);
  if (offsetAt(zone, end) === offset) return { offset, until: end };
  let [same, changed] = [start, end];
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (offsetAt(zone, middle) === offset) same = middle;
    else changed = middle;
  }
  return { offset, until: changed };
}

/** @throws RangeError if Node does not know the zone */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    if (formats.size >= FORMATS_KEPT) formats.clear();
    formats.set(timeZone, format);
  }
  return format;
}
