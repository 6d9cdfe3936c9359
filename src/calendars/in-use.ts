import { beyondHome } from "../db/beyond-home.ts";
import type { Reader } from "../db/database.ts";
import { contains } from "../db/texts.ts";

/**
 * Returns whether something still counts in a calendar, so that it cannot be deleted: a template, or a step of an open task
 * that has not happened.
 *
 * @param project - a slug
 */
export async function isInUse(reader: Reader, project: string, name: string): Promise<boolean> {
  const template = await reader.query
    .selectFrom("escalation_templates")
    .select("name")
    .where("project", "=", project)
    .where(contains(reader, "steps", `"calendar":"${name}"`))
    .limit(1)
    .executeTakeFirst();
  if (template !== undefined) return true;
  const task = await reader.query
    .selectFrom("tasks")
    .select("id")
    .where("project", "=", project)
    .where("next_step_at", "is not", null)
    .where(contains(reader, "ladder", `"done_at":null,"calendar":"${name}"`))
    .limit(1)
    .modifyEnd(beyondHome("tasks with a calendar"))
    .executeTakeFirst();
  return task !== undefined;
}
