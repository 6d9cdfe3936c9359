import type { Db, Reader, Tx } from "../db/database.ts";
import { lockName } from "../db/locks.ts";
import type { SavedViewRow } from "../db/schema.ts";
import { invalid, ServiceError } from "../errors.ts";
import { isId, newId } from "../lib/ids.ts";
import { isoTime } from "../lib/time.ts";
import { isInProject, isOperatorOf, type Caller, type SessionCaller } from "../people/caller.ts";
import { projectForNew, requireSeesProject } from "../people/projects.ts";
import { countUpTo } from "../tasks/list.ts";
import { queryOf, readFilter, seesProject } from "./filter.ts";
import {
  COUNTED_MAX,
  LISTED_MAX,
  PERSONAL_MAX,
  SHARED_MAX,
  type CountedViewRecord,
  type CreateViewBody,
  type Problem,
  type UpdateViewBody,
  type ViewFilter,
  type ViewRecord,
} from "./schema.ts";

interface Ctx {
  db: Db;
}

/** The person or the project that a view belongs to. */
type Owner = Pick<SavedViewRow, "user_id" | "project">;

/**
 * Returns the views that a person sees, with the number of tasks that each shows to them: their own, and then those of their
 * projects. (beyond the spec: Saved views)
 *
 * @param project - the one that they look at; undefined: all of theirs
 * @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND
 */
export async function listViews(
  { db }: Ctx,
  caller: Caller,
  project: string | undefined,
): Promise<CountedViewRecord[]> {
  const person = requireSignedIn(caller);
  if (project !== undefined) await requireSeesProject(db, caller, project);
  const rows = await selectSeen(db, person, project);
  const problems = await findProblems(db, person, rows);
  const records: CountedViewRecord[] = [];
  // One after the other: together, they would take all connections of the database.
  for (const row of rows) {
    const record = toRecord(person, row, problems.get(row.id) ?? []);
    const isCounted = record.filter.scope !== "done" && !record.problems.includes("project");
    const count = isCounted
      ? await countUpTo({ db }, person, queryOf(person.user, record.filter, project), COUNTED_MAX)
      : null;
    records.push({ ...record, count });
  }
  return records;
}

/**
 * Saves what a list shows under a name, for the person alone or for everyone in a project.
 * @throws ServiceError FORBIDDEN, PROJECT_ARCHIVED, VALIDATION_FAILED
 */
export async function createView({ db }: Ctx, caller: Caller, body: CreateViewBody): Promise<ViewRecord> {
  const person = requireSignedIn(caller);
  const name = readName(body.name);
  return db.write(async (tx) => {
    const project = body.project == null ? null : await projectForNew(tx, caller, body.project);
    const owner = { user_id: project === null ? person.user.id : null, project };
    const filter = await filterFor(tx, person, project, body.filter);
    const others = await lockViewsOf(tx, owner);
    // It was sent again, because the answer was lost.
    const same = others.find((other) => other.name === name && other.filter === JSON.stringify(filter));
    if (same !== undefined) return toRecord(person, same, []);
    requireFree(others, name);
    const max = project === null ? PERSONAL_MAX : SHARED_MAX;
    if (others.length >= max)
      throw invalid(
        "/name",
        `${project === null ? "You have" : "The project has"} ${max} views, which is the maximum. Delete one first.`,
      );
    const now = tx.now();
    const row: SavedViewRow = {
      id: newId("viw", now),
      ...owner,
      name,
      filter: JSON.stringify(filter),
      position: others.length,
      created_at: now,
      updated_at: now,
    };
    await tx.query.insertInto("saved_views").values(row).execute();
    return toRecord(person, row, []);
  });
}

/**
 * Renames a view, moves it, or replaces what it shows.
 * @throws ServiceError FORBIDDEN, NOT_FOUND, VALIDATION_FAILED
 */
export async function updateView({ db }: Ctx, caller: Caller, id: string, body: UpdateViewBody): Promise<ViewRecord> {
  const person = requireSignedIn(caller);
  return db.write(async (tx) => {
    const { row, all } = await lockView(tx, person, id);
    const filter =
      body.filter == null ? row.filter : JSON.stringify(await filterFor(tx, person, row.project, body.filter));
    const name = body.name == null ? row.name : readName(body.name);
    const others = all.filter((other) => other.id !== id);
    requireFree(others, name);
    const position = Math.min(body.position ?? all.indexOf(row), others.length);
    const after: SavedViewRow = { ...row, name, filter, position, updated_at: tx.now() };
    await tx.query
      .updateTable("saved_views")
      .set({ name, filter, position, updated_at: after.updated_at })
      .where("id", "=", id)
      .execute();
    await setPositions(tx, others.toSpliced(position, 0, after));
    const problems = await findProblems(tx, person, [after]);
    return toRecord(person, after, problems.get(id) ?? []);
  });
}

/** @throws ServiceError FORBIDDEN, NOT_FOUND */
export async function deleteView({ db }: Ctx, caller: Caller, id: string): Promise<void> {
  const person = requireSignedIn(caller);
  await db.write(async (tx) => {
    const { all } = await lockView(tx, person, id);
    await tx.query.deleteFrom("saved_views").where("id", "=", id).execute();
    await setPositions(
      tx,
      all.filter((other) => other.id !== id),
    );
  });
}

/** Views are for people, who look at lists. */
function requireSignedIn(caller: Caller): SessionCaller {
  if (caller.kind !== "user") throw new ServiceError("FORBIDDEN", { message: "Sign in to use views." });
  return caller;
}

/** @throws ServiceError VALIDATION_FAILED */
function readName(given: string): string {
  const name = given.replaceAll(/\s+/g, " ").trim();
  if (name === "") throw invalid("/name", "A name has at least one character.");
  if (/\p{Cc}/u.test(name)) throw invalid("/name", "A name has no control characters.");
  return name;
}

function requireFree(others: readonly SavedViewRow[], name: string): void {
  const isTaken = others.some((other) => other.name.toLowerCase() === name.toLowerCase());
  if (isTaken) throw invalid("/name", "Another view has this name.");
}

/** Returns a filter as it is stored. A shared view shows tasks of its project only. */
async function filterFor(
  tx: Tx,
  person: SessionCaller,
  project: string | null,
  given: CreateViewBody["filter"],
): Promise<ViewFilter> {
  if (project !== null && given.project != null && given.project !== project)
    throw invalid("/filter/project", "A shared view shows tasks of its own project.");
  return readFilter(tx, person, project === null ? given : { ...given, project });
}

async function selectSeen(reader: Reader, { user }: SessionCaller, project: string | undefined) {
  const own = await reader.query
    .selectFrom("saved_views")
    .selectAll()
    .where("user_id", "=", user.id)
    .orderBy("position")
    .execute();
  const projects = project === undefined ? (user.is_operator ? null : Object.keys(user.projects)) : [project];
  const shared = await reader.query
    .selectFrom("saved_views")
    .selectAll()
    .where("project", "is not", null)
    .$if(projects !== null, (query) => query.where("project", "in", projects!.length === 0 ? [""] : projects!))
    .orderBy("project")
    .orderBy("position")
    .limit(LISTED_MAX - own.length)
    .execute();
  return [...own, ...shared];
}

/**
 * Locks the views of an owner. Otherwise two requests could both take the same name, or the last place.
 * @returns the views in their order
 */
async function lockViewsOf(tx: Tx, { user_id, project }: Owner): Promise<SavedViewRow[]> {
  await lockName(tx, `views of ${user_id ?? project}`);
  return tx.query
    .selectFrom("saved_views")
    .selectAll()
    .where(user_id === null ? "project" : "user_id", "=", user_id ?? project)
    .orderBy("position")
    .execute();
}

/** @throws ServiceError NOT_FOUND; FORBIDDEN for a shared view that the person only sees */
async function lockView(
  tx: Tx,
  person: SessionCaller,
  id: string,
): Promise<{ row: SavedViewRow; all: SavedViewRow[] }> {
  const found = isId("viw", id)
    ? await tx.query.selectFrom("saved_views").selectAll().where("id", "=", id).executeTakeFirst()
    : undefined;
  if (found === undefined || !isSeen(person, found)) throw unknownView();
  if (!mayChange(person, found))
    throw new ServiceError("FORBIDDEN", { message: "Only operators of the project change its shared views." });
  const all = await lockViewsOf(tx, found);
  const row = all.find((one) => one.id === id);
  // It was deleted while this request waited.
  if (row === undefined) throw unknownView();
  return { row, all };
}

function unknownView(): ServiceError {
  return new ServiceError("NOT_FOUND", { message: "You have no view with this id." });
}

function isSeen({ user }: SessionCaller, { user_id, project }: Owner): boolean {
  return project === null ? user_id === user.id : isInProject(user, project);
}

function mayChange(person: SessionCaller, { user_id, project }: Owner): boolean {
  return project === null ? user_id === person.user.id : isOperatorOf(person, project);
}

async function setPositions(tx: Tx, rows: readonly SavedViewRow[]): Promise<void> {
  for (const [position, row] of rows.entries())
    if (row.position !== position)
      await tx.query.updateTable("saved_views").set({ position }).where("id", "=", row.id).execute();
}

function filterOf({ filter }: SavedViewRow): ViewFilter {
  return JSON.parse(filter) as ViewFilter;
}

/** Returns what of the filters is gone since they were saved, by the id of the view. */
async function findProblems(
  reader: Reader,
  person: SessionCaller,
  rows: readonly SavedViewRow[],
): Promise<Map<string, Problem[]>> {
  const filters = rows.map(filterOf);
  const named = (...names: readonly ("agent" | "assignee" | "by" | "project")[]): string[] => [
    ...new Set(filters.flatMap((filter) => names.flatMap((name) => filter[name] ?? []))),
  ];
  const agents = await byId(named("agent"), (ids) =>
    reader.query.selectFrom("agents").select("id").where("id", "in", ids).execute(),
  );
  const users = await byId(named("assignee", "by"), (ids) =>
    reader.query.selectFrom("users").select(["id", "active"]).where("id", "in", ids).execute(),
  );
  const projects = new Map<string, boolean>();
  for (const slug of named("project")) projects.set(slug, await seesProject(reader, person, slug));
  return new Map(
    rows.map((row, i) => {
      const { project, agent, assignee, by } = filters[i]!;
      const isGone: Record<Problem, boolean> = {
        project: project !== undefined && projects.get(project) !== true,
        agent: agent !== undefined && !agents.has(agent),
        // A deactivated person has no open tasks, and their answers stay theirs.
        assignee: assignee !== undefined && assignee !== "none" && users.get(assignee)?.active !== 1,
        by: by !== undefined && !users.has(by),
      };
      return [row.id, (Object.keys(isGone) as Problem[]).filter((name) => isGone[name])];
    }),
  );
}

/** Returns the rows with some ids, by their id. */
async function byId<Row extends { id: string }>(
  ids: string[],
  select: (ids: string[]) => Promise<Row[]>,
): Promise<Map<string, Row>> {
  return new Map((ids.length === 0 ? [] : await select(ids)).map((row) => [row.id, row]));
}

function toRecord(person: SessionCaller, row: SavedViewRow, problems: Problem[]): ViewRecord {
  return {
    id: row.id,
    name: row.name,
    project: row.project,
    filter: filterOf(row),
    position: row.position,
    can_change: mayChange(person, row),
    problems,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}
