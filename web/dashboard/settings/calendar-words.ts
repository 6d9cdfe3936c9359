import { t } from "../../../languages/text.ts";
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
  return [
    hoursWords(hours),
    zoneLabel(time_zone),
    ...(days === 0 ? [] : [days === 1 ? t("1 closed day") : t("{days} closed days", { days })]),
  ].join(", ");
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
  return open.length === 0 ? t("Never open") : open.map(({ days, times }) => `${daysWords(days)} ${times}`).join("; ");
}

function daysWords(days: readonly Weekday[]): string {
  if (days.length === WEEKDAYS.length) return t("Every day");
  const [first, last] = [shortName(days[0]!), shortName(days.at(-1)!)];
  return days.length === 1 ? first : `${first} ${days.length === 2 ? "and" : "to"} ${last}`;
}

function shortName(day: Weekday): string {
  return day.charAt(0).toUpperCase() + day.slice(1);
}

function timesWords(intervals: NonNullable<Hours[Weekday]>): string {
  return intervals
    .map(([from = "", to = ""]) =>
      from === "00:00" && to === "24:00" ? t("all day") : t("{from} to {to}", { from: clock(from), to: clock(to) }),
    )
    .join(" and ");
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
