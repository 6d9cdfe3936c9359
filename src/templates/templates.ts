import { requireCalendars, clockworkFor } from "../escalation/clockwork.ts";
import { toStep, type Step } from "../escalation/ladder.ts";
import { findTemplateRow } from "../escalation/store.ts";
import { BUILT_IN } from "../escalation/built-in.ts";
import type { Db, Tx } from "../db/database.ts";
import type { EscalationTemplateRow } from "../db/schema.ts";
import { invalid, ServiceError } from "../errors.ts";
import type { OwnProjectQuery } from "../http/schema.ts";
import { isPlainName } from "../lib/text.ts";
import { isoTime } from "../lib/time.ts";
import { requireOperatorOfSome, type Caller } from "../people/caller.ts";
import { projectForNew, projectOfAsker, projectOfOperator } from "../people/projects.ts";
import { recordSecurityEvent } from "../security/record.ts";
import type { Notifier } from "../tasks/notices.ts";
import { readSteps } from "../tasks/steps.ts";
import type { SetTemplateBody, TemplateRecord } from "./schema.ts";

interface Ctx {
  db: Db;
}

/** Of one project. A list of them has no pages. */
const TEMPLATES_MAX = 100;

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
  { project: asked }: OwnProjectQuery,
  body: SetTemplateBody,
): Promise<{ template: TemplateRecord; isNew: boolean }> {
  requireOperatorOfSome(caller);
  if (!isPlainName(name)) throw invalid("/params/name", "May have a to z, 0 to 9, hyphens and underscores.");
  const steps = body.steps.map(toStep);
  readSteps(steps, { path: "/steps", timeout_seconds: null, channels: notifier.channels });
  return db.write(async (tx) => {
    const project = await projectOfOperator(tx, caller, asked);
    requireCalendars(steps, await clockworkFor(tx, project, steps), "/steps");
    const before = await findTemplateRow(tx, project, name);
    if (before === null) await requireRoom(tx, caller, project);
    const row: EscalationTemplateRow = { project, name, steps: JSON.stringify(steps), updated_at: tx.now() };
    const { steps: text, updated_at } = row;
    await tx.query
      .insertInto("escalation_templates")
      .values(row)
      .onConflict((conflict) => conflict.columns(["project", "name"]).doUpdateSet({ steps: text, updated_at }))
      .execute();
    await recordSecurityEvent(tx, {
      type: "escalation_template_set",
      target: { kind: "escalation_template", id: name },
      details: { project, replaced: before !== null },
    });
    return { template: toRecord(row), isNew: before === null };
  });
}

/** A built-in template of the same name counts again. @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, TEMPLATE_NOT_FOUND */
export async function deleteTemplate(
  { db }: Ctx,
  caller: Caller,
  name: string,
  { project: asked }: OwnProjectQuery,
): Promise<void> {
  requireOperatorOfSome(caller);
  await db.write(async (tx) => {
    const project = await projectOfOperator(tx, caller, asked);
    if ((await findTemplateRow(tx, project, name)) === null) throw new ServiceError("TEMPLATE_NOT_FOUND");
    await tx.query.deleteFrom("escalation_templates").where("project", "=", project).where("name", "=", name).execute();
    await recordSecurityEvent(tx, {
      type: "escalation_template_deleted",
      target: { kind: "escalation_template", id: name },
      details: { project },
    });
  });
}

/** @throws ServiceError VALIDATION_FAILED, PROJECT_ARCHIVED */
async function requireRoom(tx: Tx, caller: Caller, project: string): Promise<void> {
  await projectForNew(tx, caller, project);
  const { count } = await tx.query
    .selectFrom("escalation_templates")
    .select((select) => select.fn.countAll().as("count"))
    .where("project", "=", project)
    .executeTakeFirstOrThrow();
  if (Number(count) >= TEMPLATES_MAX)
    throw invalid("/params/name", `The project has ${TEMPLATES_MAX} templates, which is the maximum.`);
}

function toRecord({ name, project, steps, updated_at }: EscalationTemplateRow): TemplateRecord {
  return { name, project, steps: JSON.parse(steps) as Step[], is_built_in: false, updated_at: isoTime(updated_at) };
}

function builtInRecord(project: string, name: string): TemplateRecord | null {
  const steps = BUILT_IN.get(name);
  return steps === undefined ? null : { name, project, steps: [...steps], is_built_in: true, updated_at: null };
}
