import type { Reader } from "../db/database.ts";

/**
 * Returns whether something still counts in a calendar, so that it cannot be deleted.
 * Nothing names calendars yet. What will name them adds its check here.
 *
 * @param _project - a slug
 */
export async function isInUse(_reader: Reader, _project: string, _name: string): Promise<boolean> {
  return false;
}
