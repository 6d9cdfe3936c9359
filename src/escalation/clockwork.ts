import { closesAfter, openBetween, type OpenHours } from "../calendars/open-time.ts";
import { findCalendarRow, openHoursOf } from "../calendars/store.ts";
import type { Reader } from "../db/database.ts";
import { invalid } from "../errors.ts";
import { calendarsOf, WITHOUT_CALENDARS, type Clockwork, type Step } from "./ladder.ts";

/** Reads the calendars that steps name, as far as they are there. */
export async function clockworkFor(reader: Reader, project: string, steps: readonly Step[]): Promise<Clockwork> {
  const names = calendarsOf(steps);
  if (names.length === 0) return WITHOUT_CALENDARS;
  const known = new Map<string, OpenHours>();
  for (const name of names) {
    const row = await findCalendarRow(reader, project, name);
    if (row !== null) known.set(name, openHoursOf(row));
  }
  return {
    has: (name) => known.has(name),
    closesAfter: (name, start, amount, until) => closesAfter(known.get(name)!, start, amount, until),
    openBetween: (name, start, end) => openBetween(known.get(name)!, start, end),
  };
}

/**
 * Rejects steps that count in a calendar which is not there.
 * @param path - of the steps in the request
 * @throws ServiceError VALIDATION_FAILED
 */
export function requireCalendars(steps: readonly Step[], clockwork: Clockwork, path: string): void {
  for (const [i, { calendar }] of steps.entries())
    if (calendar !== null && !clockwork.has(calendar))
      throw invalid(`${path}/${i}/calendar`, `There is no calendar "${calendar}" in this project.`);
}
