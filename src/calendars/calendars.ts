import type { Db } from "../db/database.ts";
import type { CalendarRow } from "../db/schema.ts";
import { invalid, ServiceError } from "../errors.ts";
import { isoTime } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import { projectOfAsker, projectsOf } from "../people/projects.ts";
import { deleteNamed, setNamed, type NamedSettings } from "../projects/named-settings.ts";
import { isInUse } from "./in-use.ts";
import { WEEKDAYS, type OpenHours } from "./open-time.ts";
import type { OwnProjectQuery } from "../http/schema.ts";
import type { CalendarRecord, SetCalendarBody } from "./schema.ts";
import { findCalendarRow, openHoursOf } from "./store.ts";
import { isZoneName } from "./zone.ts";

interface Ctx {
  db: Db;
}

const CALENDARS: NamedSettings<CalendarRow> = {
  table: "calendars",
  kind: "calendar",
  unknown: "CALENDAR_NOT_FOUND",
  max: { count: 500, in: "service", plural: "calendars" },
  find: findCalendarRow,
};

/** Returns the calendars of the caller's projects, by project and name. (beyond: In time) */
export async function listCalendars(
  { db }: Ctx,
  caller: Caller,
  { project }: OwnProjectQuery,
): Promise<CalendarRecord[]> {
  const projects =
    caller.kind === "agent" ? [await projectOfAsker(db, caller, project)] : await projectsOf(db, caller, project);
  const rows = await db.query
    .selectFrom("calendars")
    .selectAll()
    .$if(projects !== null, (query) => query.where("project", "in", projects!))
    .orderBy("project")
    .orderBy("name")
    .execute();
  return rows.map(toRecord);
}

/** @throws ServiceError FORBIDDEN, AGENT_SCOPE_MISSING, PROJECT_NOT_FOUND, CALENDAR_NOT_FOUND */
export async function readCalendar(
  { db }: Ctx,
  caller: Caller,
  name: string,
  { project }: OwnProjectQuery,
): Promise<CalendarRecord> {
  const row = await findCalendarRow(db, await projectOfAsker(db, caller, project), name);
  if (row === null) throw new ServiceError("CALENDAR_NOT_FOUND");
  return toRecord(row);
}

/**
 * Creates a calendar, or replaces it.
 * @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, PROJECT_ARCHIVED, VALIDATION_FAILED
 */
export async function setCalendar(
  { db }: Ctx,
  caller: Caller,
  name: string,
  query: OwnProjectQuery,
  body: SetCalendarBody,
): Promise<{ calendar: CalendarRecord; isNew: boolean }> {
  const { row, isNew } = await setNamed(db, CALENDARS, { caller, name, query }, async (tx, { project, before }) => {
    const { time_zone, hours, closed } = checked(body);
    const now = tx.now();
    const row: CalendarRow = {
      project,
      name,
      time_zone,
      hours: JSON.stringify(hours),
      closed: JSON.stringify(closed),
      created_at: before?.created_at ?? now,
      updated_at: now,
    };
    const { project: _same, name: _too, created_at: _kept, ...changes } = row;
    await tx.query
      .insertInto("calendars")
      .values(row)
      .onConflict((conflict) => conflict.columns(["project", "name"]).doUpdateSet(changes))
      .execute();
    return { row, details: { time_zone } };
  });
  return { calendar: toRecord(row), isNew };
}

/** @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, CALENDAR_NOT_FOUND, CALENDAR_IN_USE */
export async function deleteCalendar({ db }: Ctx, caller: Caller, name: string, query: OwnProjectQuery): Promise<void> {
  await deleteNamed(db, CALENDARS, { caller, name, query }, async (tx, project) => {
    if (await isInUse(tx, project, name)) throw new ServiceError("CALENDAR_IN_USE");
  });
}

/** Returns the hours of a request. @throws ServiceError VALIDATION_FAILED */
function checked({ time_zone, hours: given, closed }: SetCalendarBody): OpenHours {
  if (!isZoneName(time_zone)) throw invalid("/time_zone", "Must be the IANA name of a time zone.");
  if (!Object.keys(given).every((day) => WEEKDAYS.some((known) => known === day)))
    throw invalid("/hours", `Must have no days but ${WEEKDAYS.join(", ")}.`);
  const days = WEEKDAYS.flatMap((day) => (given[day] == null ? [] : [[day, given[day]] as const]));
  for (const [day, intervals] of days) requireInOrder(`/hours/${day}`, intervals);
  if (days.every(([, intervals]) => intervals.length === 0))
    throw invalid("/hours", "Must have open time on at least one day.");
  for (const [at, date] of (closed ?? []).entries())
    if (!isDate(date)) throw invalid(`/closed/${at}`, "Must be a date, as in 2026-12-25.");
  return { time_zone, hours: Object.fromEntries(days), closed: closed ?? [] };
}

/** @param path - of the hours of a day @throws ServiceError VALIDATION_FAILED */
function requireInOrder(path: string, intervals: readonly (readonly string[])[]): void {
  let end = "00:00";
  for (const [at, interval] of intervals.entries()) {
    const [from, to] = interval;
    if (from === undefined || to === undefined) throw invalid(`${path}/${at}`, "Must have a time from and a time to.");
    for (const [side, time] of interval.entries())
      if (!/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/.test(time))
        throw invalid(`${path}/${at}/${side}`, "Must be a time, as in 09:00.");
    if (from < end) throw invalid(`${path}/${at}`, "Must not begin before the hours before it end.");
    if (from >= to) throw invalid(`${path}/${at}`, "Must end after it begins. Write hours over midnight as two days.");
    end = to;
  }
}

/** Whether this is a date that exists, as `YYYY-MM-DD`. */
function isDate(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && isoTime(at).startsWith(text);
}

function toRecord(row: CalendarRow): CalendarRecord {
  return {
    name: row.name,
    project: row.project,
    ...(openHoursOf(row) as Pick<CalendarRecord, "time_zone" | "hours" | "closed">),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}
