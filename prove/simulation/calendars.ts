/** Three calendars, in zones that change their clocks by an hour or by half an hour, and an oracle that counts their minutes. */
import type { OpenHours } from "../../src/calendars/open-time.ts";
import { setCalendar } from "../../src/calendars/calendars.ts";
import type { Db } from "../../src/db/database.ts";

const MINUTE_MS = 60_000;
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

type Hours = OpenHours["hours"];

function everyDay(...hours: [string, string][]): Hours {
  return Object.fromEntries(DAYS.map((day) => [day, hours]));
}

export const CALENDARS = {
  berlin: {
    time_zone: "Europe/Berlin",
    hours: { ...everyDay(["00:30", "02:30"], ["09:00", "17:00"]), sun: [["02:15", "03:45"]] },
    closed: [],
  },
  "new-york": {
    time_zone: "America/New_York",
    hours: { ...everyDay(["00:00", "24:00"]), sat: [["22:00", "24:00"]] },
    closed: ["2026-03-09", "2026-11-02"],
  },
  "lord-howe": {
    time_zone: "Australia/Lord_Howe",
    hours: everyDay(["01:00", "01:45"], ["02:10", "02:40"], ["20:00", "23:00"]),
    closed: [],
  },
} as const satisfies Record<string, { time_zone: string; hours: Hours; closed: readonly string[] }>;

export type CalendarName = keyof typeof CALENDARS;

/** When clocks change: to summer time and back. */
export const CHANGES: readonly { calendar: CalendarName; at: number }[] = [
  { calendar: "berlin", at: Date.UTC(2026, 2, 29, 1) },
  { calendar: "berlin", at: Date.UTC(2026, 9, 25, 1) },
  { calendar: "new-york", at: Date.UTC(2026, 2, 8, 7) },
  { calendar: "new-york", at: Date.UTC(2026, 10, 1, 6) },
  { calendar: "lord-howe", at: Date.UTC(2026, 3, 4, 15) },
  { calendar: "lord-howe", at: Date.UTC(2026, 9, 3, 15, 30) },
];

export async function addCalendars(db: Db): Promise<void> {
  for (const [name, { time_zone, hours, closed }] of Object.entries(CALENDARS))
    await setCalendar({ db }, { kind: "admin" }, name, {}, { time_zone, hours, closed: [...closed] } as never);
}

/** Whether a calendar is open in a minute, by its name and the minute. Runs ask for the same ones again. */
const known = new Map<string, boolean>();
const formats = new Map<string, Intl.DateTimeFormat>();

/** @param minute - since 1970 */
function isOpen(name: CalendarName, minute: number): boolean {
  const key = `${name} ${minute}`;
  let open = known.get(key);
  if (open === undefined) known.set(key, (open = read(name, minute)));
  return open;
}

/** Reads what a clock on the wall shows in a minute. */
function read(name: CalendarName, minute: number): boolean {
  const { time_zone, hours, closed } = CALENDARS[name] as OpenHours;
  let format = formats.get(time_zone);
  if (format === undefined) {
    const fields = { year: "numeric", month: "2-digit", day: "2-digit", weekday: "short" } as const;
    const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
    format = new Intl.DateTimeFormat("en-US", { timeZone: time_zone, ...fields, ...time });
    formats.set(time_zone, format);
  }
  const parts = new Map(format.formatToParts(minute * MINUTE_MS).map(({ type, value }) => [type, value]));
  const date = `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
  const clock = `${parts.get("hour")}:${parts.get("minute")}`;
  const day = parts.get("weekday")!.toLowerCase() as keyof Hours;
  return !closed.includes(date) && (hours[day] ?? []).some(([from, to]) => from <= clock && clock < to);
}

/** Returns the open time between two moments in milliseconds: minute by minute. */
export function openBetween(name: CalendarName, start: number, end: number): number {
  let sum = 0;
  for (const [from, to] of minutes(start, end)) if (isOpen(name, Math.floor(from / MINUTE_MS))) sum += to - from;
  return sum;
}

/** Returns when an amount of open time has passed, minute by minute; null if not by `end`. */
export function passedAt(name: CalendarName, start: number, amount: number, end: number): number | null {
  let left = amount;
  for (const [from, to] of minutes(start, end)) {
    if (!isOpen(name, Math.floor(from / MINUTE_MS))) continue;
    if (left <= to - from) return from + left;
    left -= to - from;
  }
  return null;
}

function* minutes(start: number, end: number): Generator<readonly [number, number]> {
  for (let from = start; from < end;) {
    const to = Math.min(end, (Math.floor(from / MINUTE_MS) + 1) * MINUTE_MS);
    yield [from, to];
    from = to;
  }
}
