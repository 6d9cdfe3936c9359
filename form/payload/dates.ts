import type { FormattedDate } from "./date-format.ts";
import type { DateShown, Shown } from "./node.ts";
import type { Planning } from "./planning.ts";

export function anyDate(planning: Planning, value: string): Shown | null {
  return (
    dateShown("date-time", value, planning.formats.dateTime(value)) ??
    dateShown("date", value, planning.formats.date(value)) ??
    dateShown("time", value, planning.formats.time(value))
  );
}

/** Seconds or milliseconds since 1970: current values differ by a factor of a thousand. */
export function epoch(planning: Planning, value: number): Shown | null {
  return dateShown(
    "date-time",
    String(value),
    planning.formats.instant(Math.abs(value) < 1e11 ? value * 1_000 : value),
  );
}

export function dateShown(kind: DateShown["kind"], value: string, date: FormattedDate | null): Shown | null {
  return date === null ? null : { kind, value, ...date };
}
