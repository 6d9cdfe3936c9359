import { readStatement, type Reader } from "../db/database.ts";
import type { CalendarRow } from "../db/schema.ts";
import { isPlainName } from "../lib/text.ts";
import type { OpenHours } from "./open-time.ts";

const selectCalendar = readStatement<{ project: string; name: string }, CalendarRow>((query, param) =>
  query.selectFrom("calendars").selectAll().where("project", "=", param("project")).where("name", "=", param("name")),
);

/** Rejects malformed names before any query. @param project - a slug */
export async function findCalendarRow(reader: Reader, project: string, name: string): Promise<CalendarRow | null> {
  if (!isPlainName(name)) return null;
  const [row] = await reader.run(selectCalendar, { project, name });
  return row ?? null;
}

/** Returns the hours of a row. */
export function openHoursOf({ time_zone, hours, closed }: CalendarRow): OpenHours {
  return {
    time_zone,
    hours: JSON.parse(hours) as OpenHours["hours"],
    closed: JSON.parse(closed) as OpenHours["closed"],
  };
}
