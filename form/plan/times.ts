/**
 * Converts between the content of a date or time control (local, without a zone) and the value in an answer. All
 * functions are pure: the caller gives the zone as an IANA name.
 */

/** Returns how many minutes `zone` is ahead of UTC at an instant. */
function offsetAt(zone: string, instant: number): number {
  clocks.set(zone, clocks.get(zone) ?? clockOf(zone));
  const parts = clocks.get(zone)!.formatToParts(instant);
  const [year = 0, month = 0, day = 0, hour, minute, second] = PARTS.map((type) =>
    Number(parts.find((known) => known.type === type)?.value),
  );
  // Date.UTC reads the year 99 as 1999.
  const local = new Date(Date.UTC(2000, 0, 1, hour, minute, second)).setUTCFullYear(year, month - 1, day);
  return Math.round((local - Math.floor(instant / 1000) * 1000) / 60_000);
}

const PARTS = ["year", "month", "day", "hour", "minute", "second"] as const;

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

const LOCAL = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:(?<=:\d{2}:\d{2})\.\d{1,3})?(Z?)$/;

export function isDate(text: string): boolean {
  // Some engines read February 30 as March 2.
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(text).toJSON()?.slice(0, 10) === text;
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
  const [, date = "", clock = "", utc] = LOCAL.exec(text.trim()) ?? [];
  if (utc) zone = "UTC";
  if (!isDate(date) || !isClock(clock)) return null;
  const local = Date.parse(`${date}T${clock}Z`);
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
