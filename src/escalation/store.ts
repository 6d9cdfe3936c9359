import { beyondHome } from "../db/beyond-home.ts";
import { readStatement, type Reader } from "../db/database.ts";
import type { Step } from "./ladder.ts";
import type { EscalationTemplateRow } from "../db/schema.ts";
import { isPlainName } from "../lib/text.ts";
import { BUILT_IN } from "./built-in.ts";

/** Rejects malformed names before any query. @param project - a slug */
export async function findTemplateRow(
  reader: Reader,
  project: string,
  name: string,
): Promise<EscalationTemplateRow | null> {
  if (!isPlainName(name)) return null;
  const row = await reader.query
    .selectFrom("escalation_templates")
    .selectAll()
    .where("project", "=", project)
    .where("name", "=", name)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the steps of a template of a project; null if there is none by this name. */
export async function findTemplate(reader: Reader, project: string, name: string): Promise<readonly Step[] | null> {
  const row = await findTemplateRow(reader, project, name);
  return row === null ? (BUILT_IN.get(name) ?? null) : (JSON.parse(row.steps) as Step[]);
}

/** Returns the names of the templates of a project, built-in ones included. */
export async function listTemplateNames(reader: Reader, project: string): Promise<string[]> {
  const rows = await reader.query
    .selectFrom("escalation_templates")
    .select("name")
    .where("project", "=", project)
    .execute();
  return [...new Set([...BUILT_IN.keys(), ...rows.map(({ name }) => name)])].toSorted();
}

const selectNextStep = readStatement<object, { next_step_at: number | null }>((query) =>
  query
    .selectFrom("tasks")
    .select("next_step_at")
    .where("next_step_at", "is not", null)
    .orderBy("next_step_at")
    .limit(1)
    .modifyEnd(beyondHome("next step")),
);

/** When the next step of any task is due, epoch milliseconds; null if there is none. */
export async function findNextStep(reader: Reader): Promise<number | null> {
  const [row] = await reader.run(selectNextStep, {});
  return row?.next_step_at ?? null;
}
