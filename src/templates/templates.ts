import { requireCalendars, clockworkFor } from "../escalation/clockwork.ts";
import { toStep, type Step } from "../escalation/ladder.ts";
import { findTemplateRow } from "../escalation/store.ts";
import { BUILT_IN } from "../escalation/built-in.ts";
import type { Db } from "../db/database.ts";
import type { EscalationTemplateRow } from "../db/schema.ts";
import { ServiceError } from "../errors.ts";
import type { OwnProjectQuery } from "../http/schema.ts";
import { isoTime } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import { projectOfAsker } from "../people/projects.ts";
import { deleteNamed, setNamed, type NamedSettings } from "../projects/named-settings.ts";
import type { Notifier } from "../tasks/notices.ts";
import { readSteps } from "../tasks/steps.ts";
import type { SetTemplateBody, TemplateRecord } from "./schema.ts";

interface Ctx {
  db: Db;
}

const TEMPLATES: NamedSettings<EscalationTemplateRow> = {
  table: "escalation_templates",
  kind: "escalation_template",
  unknown: "TEMPLATE_NOT_FOUND",
  max: { count: 100, in: "project", plural: "templates" },
  find: findTemplateRow,
};

/** Returns the templates of a project, by name. (beyond the spec: In time) */
export async function listTemplates(
  { db }: Ctx,
  caller: Caller,
  { project: asked }: OwnProjectQuery,
): Promise<TemplateRecord[]> {
  const project = await projectOfAsker(db, caller, asked);
  const rows = await db.query.selectFrom("escalation_templates").selectAll().where("project", "=", project).execute();
  const stored = rows.map(toRecord);
  const builtIn = Array.from(BUILT_IN.keys())
    .filter((name) => !rows.some((row) => row.name === name))
    .map((name) => builtInRecord(project, name)!);
  return [...stored, ...builtIn].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** @throws ServiceError FORBIDDEN, AGENT_SCOPE_MISSING, PROJECT_NOT_FOUND, TEMPLATE_NOT_FOUND */
export async function readTemplate(
  { db }: Ctx,
  caller: Caller,
  name: string,
  { project: asked }: OwnProjectQuery,
): Promise<TemplateRecord> {
  const project = await projectOfAsker(db, caller, asked);
  const row = await findTemplateRow(db, project, name);
  const found = row === null ? builtInRecord(project, name) : toRecord(row);
  if (found === null) throw new ServiceError("TEMPLATE_NOT_FOUND");
  return found;
}

/**
 * Creates a template, or replaces it. Tasks keep the steps that they were created with.
 * @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, PROJECT_ARCHIVED, VALIDATION_FAILED
 */
export async function setTemplate(
  { db, notifier }: Ctx & { notifier: Pick<Notifier, "channels"> },
  caller: Caller,
  name: string,
  query: OwnProjectQuery,
  body: SetTemplateBody,
): Promise<{ template: TemplateRecord; isNew: boolean }> {
  const { row, isNew } = await setNamed(db, TEMPLATES, { caller, name, query }, async (tx, { project }) => {
    const steps = body.steps.map(toStep);
    readSteps(steps, { path: "/steps", timeout_seconds: null, channels: notifier.channels });
    requireCalendars(steps, await clockworkFor(tx, project, steps), "/steps");
    const changes = { steps: JSON.stringify(steps), updated_at: tx.now() };
    const row: EscalationTemplateRow = { project, name, ...changes };
    await tx.query
      .insertInto("escalation_templates")
      .values(row)
      .onConflict((conflict) => conflict.columns(["project", "name"]).doUpdateSet(changes))
      .execute();
    return { row };
  });
  return { template: toRecord(row), isNew };
}

/** A built-in template of the same name counts again. @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, TEMPLATE_NOT_FOUND */
export async function deleteTemplate({ db }: Ctx, caller: Caller, name: string, query: OwnProjectQuery): Promise<void> {
  await deleteNamed(db, TEMPLATES, { caller, name, query });
}

function toRecord({ name, project, steps, updated_at }: EscalationTemplateRow): TemplateRecord {
  return { name, project, steps: JSON.parse(steps) as Step[], is_built_in: false, updated_at: isoTime(updated_at) };
}

function builtInRecord(project: string, name: string): TemplateRecord | null {
  const steps = BUILT_IN.get(name);
  return steps === undefined ? null : { name, project, steps: [...steps], is_built_in: true, updated_at: null };
}
