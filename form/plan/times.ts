/**
 * Converts between the content of a date or time control (local, without a zone) and the value in an answer. All
 * functions are pure: the caller gives the zone as an IANA name.
 */

/** Returns how many minutes `zone` is ahead of UTC at an instant. */
function offsetAt(zone: string, instant: number): number {
  clocks.set(zone, clocks.get(zone) ?? clockOf(zone));
  const parts = clocks.get(zone)!.formatToParts(instant);
  const part = (type: string): number => Number(parts.find((known) => known.type === type)?.value ?? 0);
  const local = instantOf(part("year"), part("month"), part("day"), part("hour"), part("minute"), part("second"));
  return Math.round((local - Math.floor(instant / 1000) * 1000) / 60_000);
}

/** Creating a format takes milliseconds. A person has one zone, and a service can have all zones on earth. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}

/** Returns an instant in UTC. It does not use Date.UTC, which reads the year 99 as 1999. */
function instantOf(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  const date = new Date(Date.UTC(2000, month - 1, day, hour, minute, second));
  return date.setUTCFullYear(year, month - 1, day);
}

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,3})?)?(Z?)$/;

export function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return false;
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number);
  const date = new Date(instantOf(year, month, day, 0, 0, 0));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** "14:30" or "14:30:05" */
export function isClock(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/.test(text);
}

/**
 * Converts "2026-03-31T14:30" in a zone to UTC ISO text. If the hour occurs twice, the first one is meant. A text in
 * UTC, with a "Z" at its end, can name the second one.
 * @returns null if it is not a date and time; "skipped" if the clocks skip that hour
 */
export function utcOf(text: string, zone: string): string | null {
  text = text.trim();
  const parts = LOCAL.exec(text);
  if (parts?.[7]) zone = "UTC";
  if (parts === null || !isDate(text.slice(0, 10)) || !isClock(text.slice(11, 16))) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  const local = instantOf(year, month, day, hour, minute, second);
  // Of the offsets around that time, the larger one gives the earlier instant.
  const offsets = [offsetAt(zone, local - 86_400_000), offsetAt(zone, local + 86_400_000)];
  for (const offset of offsets.toSorted((a, b) => b - a)) {
    const instant = local - offset * 60_000;
    if (offsetAt(zone, instant) === offset) return new Date(instant).toISOString().replace(/\.000Z$/, "Z");
  }
  return "skipped";
}

/** Returns a value such as "2026-03-31T14:30:00Z" as a control in `zone` shows it; null if it is invalid. */
export function localOf(value: string, zone: string): string | null {
  const instant = Date.parse(value);
  if (Number.isNaN(instant) || !/^\d{4}-\d{2}-\d{2}[Tt ]/.test(value)) return null;
  const hasZone = /(?:[Zz]|[+-]\d{2}:?\d{2})$/.test(value);
  if (!hasZone) return value.slice(0, 16).replace(" ", "T");
  const local = new Date(instant + offsetAt(zone, instant) * 60_000).toISOString();
  return local.slice(17, 19) === "00" ? local.slice(0, 16) : local.slice(0, 19);
}

/** "14:30" -> "14:30:00+01:00", with the offset of `zone` from UTC at `now`. (RFC 3339: full-time) */
export function zonedTimeOf(clock: string, zone: string, now: Date): string {
  const offset = offsetAt(zone, now.getTime());
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const two = (n: number): string => String(n).padStart(2, "0");
  const suffix = offset === 0 ? "Z" : `${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`;
  return `${clock.length === 5 ? `${clock}:00` : clock}${suffix}`;
}

/** Returns "Central European Standard Time (GMT+1)", which is shown beside a control. */
export function zoneName(zone: string, now: Date, locale: string): string {
  const part = (timeZoneName: "long" | "shortOffset"): string =>
    new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName })
      .formatToParts(now)
      .find((known) => known.type === "timeZoneName")?.value ?? zone;
  return zone === "UTC" ? "UTC" : `${part("long")} (${part("shortOffset")})`;
}
