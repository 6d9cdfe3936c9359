import type { Db, Reader, Tx } from "../db/database.ts";
import { lockName } from "../db/locks.ts";
import { invalid, ServiceError } from "../errors.ts";
import type { OwnProjectQuery } from "../http/schema.ts";
import { isPlainName } from "../lib/text.ts";
import { requireOperatorOfSome, type Caller } from "../people/caller.ts";
import { projectForNew, projectOfOperator } from "../people/projects.ts";
import { recordSecurityEvent, type SecurityEvent } from "../security/record.ts";

/** A kind of settings that operators store in a project by name. */
export interface NamedSettings<Row> {
  table: "calendars" | "escalation_templates";
  /** In security events. */
  kind: "calendar" | "escalation_template";
  /** The error for a name that is not stored. */
  unknown: "CALENDAR_NOT_FOUND" | "TEMPLATE_NOT_FOUND";
  /** How many there can be, in the service or in each project. A list of them has no pages. */
  max: { count: number; in: "service" | "project"; plural: string };
  /** Rejects malformed names before any query. */
  find: (reader: Reader, project: string, name: string) => Promise<Row | null>;
}

/** What a request is about. */
interface Asked {
  caller: Caller;
  name: string;
  query: OwnProjectQuery;
}

/** Where a setting is written. */
interface Place<Row> {
  project: string;
  /** What is replaced. null: the setting is new. */
  before: Row | null;
}

/**
 * Creates or replaces what a project has by a name.
 * @param store - checks the request and writes the row; `details` are for the security event
 * @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, PROJECT_ARCHIVED, VALIDATION_FAILED, and what `store` throws
 */
export async function setNamed<Row>(
  db: Db,
  settings: NamedSettings<Row>,
  { caller, name, query }: Asked,
  store: (tx: Tx, place: Place<Row>) => Promise<{ row: Row; details?: SecurityEvent["details"] }>,
): Promise<{ row: Row; isNew: boolean }> {
  requireOperatorOfSome(caller);
  if (!isPlainName(name)) throw invalid("/params/name", "May have a to z, 0 to 9, hyphens and underscores.");
  return db.write(async (tx) => {
    const project = await projectOfOperator(tx, caller, query.project);
    // Otherwise two requests could both find that the name is free, or the last place.
    await lockName(tx, settings.table);
    const before = await settings.find(tx, project, name);
    if (before === null) {
      await projectForNew(tx, caller, project);
      await requireRoom(tx, settings, project);
    }
    const { row, details } = await store(tx, { project, before });
    await recordSecurityEvent(tx, {
      type: `${settings.kind}_set`,
      target: { kind: settings.kind, id: name },
      details: { project, ...details, replaced: before !== null },
    });
    return { row, isNew: before === null };
  });
}

/**
 * Deletes what a project has by a name.
 * @param requireUnused - throws if something still needs it
 * @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, VALIDATION_FAILED, the error for an unknown name, and what `requireUnused` throws
 */
export async function deleteNamed<Row>(
  db: Db,
  { table, kind, unknown, find }: NamedSettings<Row>,
  { caller, name, query }: Asked,
  requireUnused?: (tx: Tx, project: string) => Promise<void>,
): Promise<void> {
  requireOperatorOfSome(caller);
  await db.write(async (tx) => {
    const project = await projectOfOperator(tx, caller, query.project);
    await lockName(tx, table);
    if ((await find(tx, project, name)) === null) throw new ServiceError(unknown);
    await requireUnused?.(tx, project);
    await tx.query.deleteFrom(table).where("project", "=", project).where("name", "=", name).execute();
    await recordSecurityEvent(tx, { type: `${kind}_deleted`, target: { kind, id: name }, details: { project } });
  });
}

/** @throws ServiceError VALIDATION_FAILED */
async function requireRoom(
  tx: Tx,
  { table, max }: Pick<NamedSettings<unknown>, "table" | "max">,
  project: string,
): Promise<void> {
  const isOfProject = max.in === "project";
  const { count } = await tx.query
    .selectFrom(table)
    .select((select) => select.fn.countAll().as("count"))
    .$if(isOfProject, (query) => query.where("project", "=", project))
    .executeTakeFirstOrThrow();
  if (Number(count) >= max.count)
    throw invalid(
      "/params/name",
      `${isOfProject ? "The project has" : "There are"} ${max.count} ${max.plural}, which is the maximum.`,
    );
}
