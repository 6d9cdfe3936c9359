import type { Db, Reader, Tx } from "../db/database.ts";
import { forUpdate } from "../db/locks.ts";
import type { ProjectRow } from "../db/schema.ts";
import { invalid, ServiceError } from "../errors.ts";
import { newId } from "../lib/ids.ts";
import { parseJson } from "../lib/json.ts";
import { isoTime } from "../lib/time.ts";
import { untilSeen } from "../people/agent-memory.ts";
import { isOperator, isOperatorOf, personOf, requireOperator, type Caller } from "../people/caller.ts";
import { DEFAULT_PROJECT } from "../people/memberships.ts";
import { findProject, isSlug, PROJECT_HINT, requireSeesProject } from "../people/projects.ts";
import { storedPolicy, type RecipientPolicy } from "../people/recipient-policy.ts";
import { recordSecurityEvent } from "../security/record.ts";
import type { CreateProjectBody, ProjectRecord, UpdateProjectBody } from "./schema.ts";

interface Ctx {
  db: Db;
}

/** Many are a mistake, and lists of projects have no pages. */
const PROJECTS_MAX = 500;

/** Returns the projects that exist for the caller, by their slugs. (beyond: Projects) */
export async function listProjects({ db }: Ctx, caller: Caller): Promise<ProjectRecord[]> {
  requirePersonOrAgent(caller);
  const own = ownSlugs(caller);
  if (own?.length === 0) return [];
  const rows = await db.query
    .selectFrom("projects")
    .selectAll()
    .$if(own !== null, (query) => query.where("slug", "in", own!))
    .orderBy("slug")
    .execute();
  return rows.map(toRecord);
}

/** @returns null: all of the service */
function ownSlugs(caller: Caller): string[] | null {
  if (isOperator(caller)) return null;
  if (caller.kind === "agent") return [caller.project];
  return Object.keys(personOf(caller)?.projects ?? {});
}

/** An embed key creates embed tokens, and nothing else. @throws ServiceError FORBIDDEN */
function requirePersonOrAgent({ kind }: Caller): void {
  if (kind === "service_key" || kind === "recipient") throw new ServiceError("FORBIDDEN");
}

/** @throws ServiceError PROJECT_NOT_FOUND */
export async function readProject({ db }: Ctx, caller: Caller, slug: string): Promise<ProjectRecord> {
  requirePersonOrAgent(caller);
  await requireSeesProject(db, caller, slug);
  return toRecord(await getProject(db, slug));
}

/** @throws ServiceError FORBIDDEN, PROJECT_ALREADY_EXISTS, VALIDATION_FAILED */
export async function createProject({ db }: Ctx, caller: Caller, body: CreateProjectBody): Promise<ProjectRecord> {
  requireOperator(caller);
  const { slug, name, recipients } = body;
  if (!isSlug(slug)) throw invalid("/slug", "May have a to z, 0 to 9 and hyphens.");
  return db.write(async (tx) => {
    await requireRoom(tx);
    const created_at = tx.now();
    const row: ProjectRow = {
      slug,
      id: newId("prj", created_at),
      name,
      created_at,
      archived_at: null,
      recipients: storedPolicy(recipients),
    };
    const added = await tx.query
      .insertInto("projects")
      .values(row)
      .onConflict((conflict) => conflict.column("slug").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (added === undefined) throw new ServiceError("PROJECT_ALREADY_EXISTS");
    await recordSecurityEvent(tx, { type: "project_created", target: targetOf(row), details: { name } });
    return toRecord(row);
  });
}

async function requireRoom(tx: Tx): Promise<void> {
  const { count } = await tx.query
    .selectFrom("projects")
    .select((select) => select.fn.countAll().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) >= PROJECTS_MAX)
    throw invalid("/slug", `There are ${PROJECTS_MAX} projects, which is the maximum.`);
}

/**
 * Changes a project, archives it, or brings it back. Its operators rename it; operators of all do the rest.
 * @throws ServiceError PROJECT_NOT_FOUND, FORBIDDEN, VALIDATION_FAILED
 */
export async function updateProject(
  { db }: Ctx,
  caller: Caller,
  slug: string,
  { name, archived, recipients }: UpdateProjectBody,
): Promise<ProjectRecord> {
  requirePersonOrAgent(caller);
  await requireSeesProject(db, caller, slug);
  const isForAll = archived != null || recipients !== undefined;
  if (!isOperatorOf(caller, slug) || (isForAll && !isOperator(caller))) throw new ServiceError("FORBIDDEN");
  if (archived === true && slug === DEFAULT_PROJECT)
    throw invalid("/archived", "The default project cannot be archived. Tasks without a named project go there.");
  const change = async (tx: Tx): Promise<ProjectRecord> => {
    const before = await lockProject(tx, slug);
    const after: ProjectRow = {
      ...before,
      ...(name != null && { name }),
      ...(archived != null && { archived_at: archived ? (before.archived_at ?? tx.now()) : null }),
      ...(recipients !== undefined && { recipients: storedPolicy(recipients) }),
    };
    await tx.query
      .updateTable("projects")
      .set({ name: after.name, archived_at: after.archived_at, recipients: after.recipients })
      .where("slug", "=", slug)
      .execute();
    await recordChanges(tx, before, after);
    tx.hint(PROJECT_HINT + slug);
    return toRecord(after);
  };
  return untilSeen(db, async () => db.write(change));
}

async function recordChanges(tx: Tx, before: ProjectRow, after: ProjectRow): Promise<void> {
  const target = targetOf(after);
  const fields = (["name", "recipients"] as const).filter((field) => after[field] !== before[field]);
  if (fields.length > 0)
    await recordSecurityEvent(tx, { type: "project_changed", target, details: { name: after.name, fields } });
  if ((after.archived_at === null) !== (before.archived_at === null))
    await recordSecurityEvent(tx, {
      type: after.archived_at === null ? "project_unarchived" : "project_archived",
      target,
      details: { name: after.name },
    });
}

async function lockProject(tx: Tx, slug: string): Promise<ProjectRow> {
  const select = tx.query.selectFrom("projects").selectAll().where("slug", "=", slug);
  return forUpdate(tx.dialect, select).executeTakeFirstOrThrow();
}

async function getProject(reader: Reader, slug: string): Promise<ProjectRow> {
  const row = await findProject(reader, slug);
  if (row === null) throw new ServiceError("PROJECT_NOT_FOUND");
  return row;
}

export function targetOf({ slug }: Pick<ProjectRow, "slug">) {
  return { kind: "project", id: slug } as const;
}

function toRecord({ id, slug, name, created_at, archived_at, recipients }: ProjectRow): ProjectRecord {
  return {
    id,
    slug,
    name,
    created_at: isoTime(created_at),
    archived_at: isoTime(archived_at),
    recipients: parseJson<RecipientPolicy>(recipients),
  };
}
