import { locale, plural, t } from "../../../languages/text.ts";
import { zoneLabel } from "./time-zones.ts";

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** When a calendar is open: for each day, pairs of times as `HH:MM`. */
export type Hours = { readonly [day in Weekday]?: readonly (readonly string[])[] };

interface Times {
  readonly time_zone: string;
  readonly hours: Hours;
  readonly closed: readonly string[];
}

/** Returns when a calendar is open: "Mon to Fri 9:00 to 17:00, Europe/Berlin, 3 closed days". */
export function calendarWords({ time_zone, hours, closed }: Times): string {
  const days = new Set(closed).size;
  const values = { hours: hoursWords(hours), zone: zoneLabel(time_zone) };
  if (days === 0) return t("{hours}, {zone}", values);
  return plural(days, "{hours}, {zone}, {n} closed day", "{hours}, {zone}, {n} closed days", values);
}

/** Days with the same hours that follow each other are named together. */
function hoursWords(hours: Hours): string {
  const groups: { days: Weekday[]; times: string }[] = [];
  for (const day of WEEKDAYS) {
    const times = timesWords(hours[day] ?? []);
    const last = groups.at(-1);
    if (last?.times === times) last.days.push(day);
    else groups.push({ days: [day], times });
  }
  const open = groups.filter(({ times }) => times !== "");
  if (open.length === 0) return t("Never open");
  return open
    .map(({ days, times }) => t("{days} {times}", { days: daysWords(days), times }))
    .reduce((hours, others) => t("{hours}; {others}", { hours, others }));
}

function daysWords(days: readonly Weekday[]): string {
  if (days.length === WEEKDAYS.length) return t("Every day");
  const names = days.map((day) => dayName(day, "short"));
  if (days.length <= 2) return listed(names);
  return t("{firstDay} to {lastDay}", { firstDay: names[0]!, lastDay: names.at(-1)! });
}

/** Returns "Mon" or "Monday". */
export function dayName(day: Weekday, weekday: "short" | "long"): string {
  // The first day of 2024 was a Monday.
  const at = Date.UTC(2024, 0, 1 + WEEKDAYS.indexOf(day));
  return new Intl.DateTimeFormat(locale(), { weekday, timeZone: "UTC" }).format(at);
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat(locale()).format(words);
}

function timesWords(intervals: NonNullable<Hours[Weekday]>): string {
  const times = intervals.map(([from = "", to = ""]) =>
    from === "00:00" && to === "24:00"
      ? t("all day")
      : t("{opens} to {closes}", { opens: clock(from), closes: clock(to) }),
  );
  return listed(times);
}

/** "09:00" as people write it. */
function clock(time: string): string {
  return time.replace(/^0(?=\d)/, "");
}

/** Returns the hours of a day as people enter them: "9:00-12:00, 13:30-17:00". */
export function dayText(intervals: NonNullable<Hours[Weekday]>): string {
  return intervals.map(([from = "", to = ""]) => `${clock(from)}-${clock(to)}`).join(", ");
}

/** Reads what a person entered for a day, such as "9-12, 13:30 to 17". null: it cannot be read. */
export function readDay(text: string): string[][] | null {
  const parts = text.split(/[,;]| and /).map((part) => part.trim());
  const intervals: string[][] = [];
  for (const part of parts.filter((one) => one !== "")) {
    const [, from, fromMinutes = "00", to, toMinutes = "00"] =
      /^(\d{1,2})(?:[:.](\d\d))?\s*(?:-|–|to)\s*(\d{1,2})(?:[:.](\d\d))?$/.exec(part) ?? [];
    if (from === undefined || to === undefined) return null;
    intervals.push([`${from.padStart(2, "0")}:${fromMinutes}`, `${to.padStart(2, "0")}:${toMinutes}`]);
  }
  return intervals;
}

/** Reads dates, one per line or with commas or spaces between them. */
export function readDates(text: string): string[] {
  return text.split(/[\s,;]+/).filter((date) => date !== "");
}
