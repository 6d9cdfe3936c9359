import {
  expressionBuilder,
  sql,
  type AliasedExpression,
  type Expression,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from "kysely";
import { payloadOf, roundOf } from "../approvals/proposal.ts";
import { beyondHome } from "../db/beyond-home.ts";
import type { Db, Reader } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import { idsFor, isAmong, isOneOf, isSelected, locationsFor } from "../db/ids.ts";
import type { Schema, TaskRow } from "../db/schema.ts";
import { startsWith } from "../db/texts.ts";
import { invalid } from "../errors.ts";
import { decodeCursor, encodeCursor, type Position } from "../http/paging.ts";
import { isId, lowestId } from "../lib/ids.ts";
import type { JsonText } from "../lib/json.ts";
import { parseTime } from "../lib/time.ts";
import type { Caller, Person, SessionCaller } from "../people/caller.ts";
import { scopeOf, type ListScope } from "./access.ts";
import { askerOf } from "./asker.ts";
import { DEFAULT_PROJECT } from "../people/memberships.ts";
import { namesOf } from "./candidates.ts";
import { isOfProjects } from "./in-projects.ts";
import { isTerminal, OPEN_STATUSES, TASK_STATUSES, TERMINAL_STATUSES, type TaskStatus } from "./lifecycle.ts";
import { toListed } from "./record.ts";
import type { ListTasksQuery } from "./schema.ts";
import { hasLabel, hasPriority, isForSnoozed, matches } from "./search.ts";
import { findCandidates, isNarrow } from "./search-candidates.ts";
import { readSnoozed, type Snoozed } from "./snooze-store.ts";
import { toTask, votesFor, type Task, type TaskWithDocuments } from "./store.ts";

const DEFAULT_LIMIT = 50;
/** Characters of JSON in one page, beyond its first row: a page of large documents is cut short instead of held in memory. */
const PAGE_CHARACTERS_MAX = 1_000_000;
/** Passing over more rows than this is not what an index is for. */
const OFFSET_INDEXED_MAX = 1000;
const ABOVE_ALL_IDS = "u";
/** What the filter calls answers that name no channel. */
const API_CHANNEL = "api";

type TaskQuery = SelectQueryBuilder<Schema, "tasks", object>;

/**
 * One page of tasks. (spec: Tasks, list)
 * @returns `rows`: each as JSON; `next`: the cursor of the next page, null on the last one
 * @throws ServiceError VALIDATION_FAILED for a cursor that is not ours, or for `agent=me` without the token of an agent
 */
export async function listTasks(
  ctx: { db: Db },
  caller: Caller,
  given: ListTasksQuery,
): Promise<{ rows: JsonText[]; next: string | null }> {
  const { tasks, next } = await readPage(ctx, caller, given);
  return { rows: tasks.map((one) => toListed(one.task, one.documents, caller, one.snoozed_until)), next };
}

/** A task as a list reads it: with the documents that the query asks for. */
export interface ReadTask {
  task: Task;
  documents: ListedDocuments;
  /** Until when the caller has snoozed it, in epoch milliseconds. */
  snoozed_until: number | null;
}

/**
 * Reads one page of the tasks that a caller may list.
 * @param lookedThrough - tasks that a search compares before it asks the index of words; null: it compares all
 * @throws ServiceError as `listTasks` does
 */
export async function readPage(
  ctx: { db: Db },
  caller: Caller,
  given: ListTasksQuery,
  lookedThrough: number | null = LOOKED_THROUGH,
): Promise<{ tasks: ReadTask[]; next: string | null }> {
  const scope = await scopeOf(ctx.db, caller, given.project);
  const query = given.agent === "me" ? { ...given, agent: ownAgentOf(caller) } : given;
  const snoozed = await snoozedOf(ctx.db, caller);
  const asked = askedBy(caller, scope, query, snoozed);
  const reader = isIndexed(query, scope) ? ctx.db : ctx.db.heavy;
  const limit = query.limit ?? DEFAULT_LIMIT;
  const isNarrowed = lookedThrough !== null && isSearch(query) && isNarrow(reader, query.q);
  const found = isNarrowed
    ? await search(reader, scope, { ...asked, q: query.q }, { limit: limit + 1, lookedThrough, now: ctx.db.now() })
    : await selectPage(reader, scope, asked, limit + 1);
  const extent: Extent = { withDocuments: query.view !== "summary", withSchemas: query.include === "schemas" };
  const page = cutPage(found.slice(0, limit), extent);
  const last = page.at(-1);
  const hasNext = page.length < found.length && last !== undefined;
  const documents = await selectDocuments(ctx.db, page, extent);

  const tasks = page.flatMap((row): ReadTask[] => {
    const found = documents.get(row.id);
    // It may have been deleted between the two reads.
    const snoozed_until = snoozed.find(({ task_id }) => task_id === row.id)?.until ?? null;
    return found ? [{ task: toTask(row), documents: found, snoozed_until }] : [];
  });
  return { tasks, next: hasNext ? encodeCursor([sortedBy(last, query), last.id]) : null };
}

/** Returns the tasks that the caller has snoozed. */
export async function snoozedOf(db: Db, caller: Caller): Promise<Snoozed[]> {
  return caller.kind === "user" ? readSnoozed(db, caller.user, db.now()) : [];
}

function askedBy(caller: Caller, scope: ListScope | null, query: ListTasksQuery, snoozed: readonly Snoozed[]): Asked {
  return {
    ...query,
    asker: query.agent ?? askerOf(caller).asked_by_id,
    me: caller.kind === "user" ? caller.user : null,
    snoozed: snoozed.map(({ task_id }) => task_id),
    ended: endedRange(query),
    created: createdRange(query),
    projects: projectsOfQuery(query, scope),
    withoutConfidential: scope !== null && "person" in scope && scope.withoutConfidential === true,
  };
}

function sortedBy({ timeout_at, ended_at, created_at }: TaskRow, { sort }: ListTasksQuery): number {
  if (sort === "deadline") return timeout_at;
  return sort === "ended" ? ended_at! : created_at;
}

/** When the tasks have ended that are asked for, as epoch milliseconds. @throws ServiceError VALIDATION_FAILED */
function endedRange({ ended_after, ended_before }: ListTasksQuery): TimeRange {
  return { from: timeIn("ended_after", ended_after), to: timeIn("ended_before", ended_before) };
}

/** The same for their creation. @throws ServiceError VALIDATION_FAILED */
function createdRange({ created_after, created_before }: ListTasksQuery): TimeRange {
  return { from: timeIn("created_after", created_after), to: timeIn("created_before", created_before) };
}

function timeIn(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = parseTime(text);
  if (time === null)
    throw invalid(`/query/${name}`, "Must be a time with an offset, such as 2026-01-31T12:00:00Z (RFC 3339).");
  return time;
}

/** Returns the projects that a list is limited to; null: all. */
function projectsOfQuery({ project }: ListTasksQuery, scope: ListScope | null): readonly string[] | null {
  return project === undefined ? projectsIn(scope) : [project];
}

/** Returns the projects that a scope is limited to; null: all. */
export function projectsIn(scope: ListScope | null): readonly string[] | null {
  if (scope === null || "agent" in scope) return null;
  if ("projects" in scope) return scope.projects;
  // An operator of all is in each.
  return scope.person.is_operator ? null : Object.keys(scope.person.projects);
}

/** @throws ServiceError VALIDATION_FAILED */
function ownAgentOf(caller: Caller): string {
  if (caller.kind !== "agent") throw invalid("/agent", "`me` is for the token of an agent.");
  return caller.id;
}

/** A query, who asks, whose keys it means, and the projects it is limited to; null: all. */
type Asked = Omit<ListTasksQuery, "project"> & {
  asker: string;
  /** The person who asks. */
  me: Person | null;
  /** The ids of the tasks that they have snoozed. */
  snoozed: readonly string[];
  projects: readonly string[] | null;
  ended: TimeRange;
  created: TimeRange;
  withoutConfidential?: boolean;
  /** The last place in the order up to which tasks are compared. */
  until?: Position;
};

/** From the first of two moments on, and before the second; null: no limit. */
interface TimeRange {
  from: number | null;
  to: number | null;
}
const NO_RANGE: TimeRange = { from: null, to: null };

/** Filters that are compared with each task. */
const UNINDEXED = [
  "decision",
  "completed_by",
  "channel",
  "created_after",
  "created_before",
  "tone",
  "edited",
  "refused",
  "question",
] as const;

/**
 * Returns whether an index finds the page. Any other query may read many tasks; on SQLite a worker runs it.
 */
function isIndexed(query: ListTasksQuery, scope: ListScope | null): boolean {
  const { q, key, key_prefix, label, priority, assigned_to, unassigned, sort, offset = 0 } = query;
  // Nearly every task is in the default project.
  const isOfProject = projectsOfQuery(query, scope)?.includes(DEFAULT_PROJECT) === false;
  if (key !== undefined || (q !== undefined && isTaskId(q))) return true;
  if (q !== undefined || key_prefix !== undefined || isOfProject) return false;
  if (label !== undefined || priority !== undefined) return false;
  if (unassigned !== undefined || offset > OFFSET_INDEXED_MAX) return false;
  if (UNINDEXED.some((name) => query[name] !== undefined)) return false;
  if (sort === "ended") return isEndedIndexed(query, scope);
  if (query.ended_after !== undefined || query.ended_before !== undefined) return false;
  if (agentOf(query, scope) !== null)
    return assigned_to === undefined && sort !== "deadline" && isSame(statusesOf(query), TASK_STATUSES);
  if (scope !== null && "person" in scope)
    return assigned_to === undefined && sort !== "deadline" && scope.operates.length === 0;
  if (sort === "deadline") return assigned_to === undefined && isSame(statusesOf(query), OPEN_STATUSES);
  return true;
}

/** The same for closed tasks in the order in which they ended: along tasks_ended, or those of one person along tasks_ended_by_user. */
function isEndedIndexed(query: ListTasksQuery, scope: ListScope | null): boolean {
  if (query.assigned_to !== undefined || agentOf(query, scope) !== null) return false;
  if (!isSame(statusesOf(query), TERMINAL_STATUSES)) return false;
  return scope === null || ("person" in scope && scope.operates.length === 0);
}

/** The statuses that are asked for, each once. Only closed tasks are in the order in which they ended. */
function statusesOf({ status = [], terminal, sort }: ListTasksQuery): TaskStatus[] {
  return TASK_STATUSES.filter(
    (one) =>
      (status.length === 0 || status.includes(one)) &&
      (terminal === undefined || isTerminal(one) === terminal) &&
      (sort !== "ended" || isTerminal(one)),
  );
}

function isSame(some: readonly TaskStatus[], others: readonly TaskStatus[]): boolean {
  return some.length === others.length && some.every((status) => others.includes(status));
}

function isEmail(person: string): boolean {
  return person.includes("@");
}

/** Tasks that a search compares before it asks the index of words: there is a page of hits among them as a rule. */
const LOOKED_THROUGH = 1000;

function isSearch<Q extends ListTasksQuery>(query: Q): query is Q & { q: string } {
  const { q = "", key } = query;
  return q !== "" && key === undefined && !isTaskId(q);
}

/** Selects a page as `selectPage` does, from the first tasks in the order, or from those that the index of words names. */
async function search(
  reader: Reader,
  scope: ListScope | null,
  query: Asked & { q: string },
  { limit, lookedThrough, now }: { limit: number; lookedThrough: number; now: number },
): Promise<TaskRow[]> {
  if (lookedThrough > 0) {
    const [last] = await selectPage(reader, scope, { ...inOrderOf(query), offset: lookedThrough - 1 }, 1);
    if (last === undefined) return selectPage(reader, scope, query, limit);
    const found = await selectPage(reader, scope, { ...query, until: [sortedBy(last, query), last.id] }, limit);
    if (found.length === limit) return found;
  }
  const candidates = await findCandidates(reader, query.q, now);
  if (candidates === null) return selectPage(reader, scope, query, limit);
  return selectAmong(reader, scope, query, candidates, limit);
}

/** The same order, without the filters that no index helps: what they leave of its first tasks is the first of what is asked for. */
function inOrderOf({ cursor, status, terminal, sort, agent, assigned_to, asker, me, ended, created }: Asked): Asked {
  const filters = { cursor, status, terminal, sort, agent, assigned_to };
  return {
    ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
    asker,
    me,
    snoozed: [],
    projects: null,
    ended: sort === "ended" ? ended : NO_RANGE,
    created: sort === "deadline" || sort === "ended" ? NO_RANGE : created,
  };
}

/** Selects a page as `selectPage` does, from tasks whose ids are known. */
async function selectAmong(
  reader: Reader,
  scope: ListScope | null,
  query: Asked,
  ids: readonly string[],
  limit: number,
): Promise<TaskRow[]> {
  const statuses = statusesOf(query);
  if (ids.length === 0 || statuses.length === 0) return [];
  if (scope !== null && "projects" in scope && scope.projects.length === 0) return [];
  // With a limit, the databases read these tasks first, and not along an index of what else is asked for.
  const tasks = reader.query
    .selectFrom("tasks")
    .selectAll()
    .where(isAmong(reader.dialect, "tasks.id", idsFor(reader, ids)))
    .limit(ids.length);
  let select = filtered(reader, query, tasks.as("tasks"));
  if (!isSame(statuses, TASK_STATUSES)) select = select.where("tasks.status", "in", statuses);
  const agent = agentOf(query, scope);
  if (agent !== null) select = select.where("asked_by_id", "=", agent).where(IS_OF_AGENT);
  if (scope !== null && "person" in scope) select = select.where(isSeenBy(reader, scope));
  return inOrder(select, query)
    .limit(limit)
    .offset(query.offset ?? 0)
    .selectAll()
    .execute();
}

/** Cuts off what comes before the cursor, in the order that is asked for. */
function inOrder(select: TaskQuery, { sort, cursor }: Asked): TaskQuery {
  const after = cursor === undefined ? null : decodeCursor(cursor);
  if (sort === "deadline") {
    const rest =
      after === null ? select : select.where(sql<boolean>`(tasks.timeout_at, tasks.id) > (${after[0]}, ${after[1]})`);
    return rest.orderBy("tasks.timeout_at").orderBy("tasks.id");
  }
  if (sort === "ended") {
    const rest =
      after === null ? select : select.where(sql<boolean>`(tasks.ended_at, tasks.id) < (${after[0]}, ${after[1]})`);
    return rest.where("tasks.ended_at", "is not", null).orderBy("tasks.ended_at", "desc").orderBy("tasks.id", "desc");
  }
  const rest = after === null ? select : select.where("tasks.id", "<", after[1]);
  return rest.orderBy("tasks.id", "desc");
}

/** Whether a task is assigned or offered to a person, or in a project that they operate: what `selectOfPerson` finds. */
function isSeenBy(reader: Reader, { person, operates }: Extract<ListScope, { person: Person }>): Expression<SqlBool> {
  const where = expressionBuilder<Schema, "tasks">();
  const isOffered = isSelected(reader.dialect, ["tasks.id", "tasks.home"], (withHome) =>
    reader.query
      .selectFrom("task_candidates")
      .select(withHome ? ["task_id", "home"] : ["task_id"])
      .where("person", "in", namesOf(person))
      .where("is_open", "=", 1),
  );
  const seen = [
    where("tasks.assigned_to_user_id", "=", person.id),
    where.and([
      where("tasks.status", "in", OPEN_STATUSES),
      where("tasks.assigned_to_user_id", "is", null),
      where("tasks.assigned_to_email", "is", null),
      isOffered,
    ]),
  ];
  if (person.email !== null)
    seen.push(
      where.and([
        where("tasks.assigned_to_user_id", "is", null),
        sql<SqlBool>`lower(tasks.assigned_to_email) = lower(${person.email})`,
      ]),
    );
  if (operates.length > 0) seen.push(where.and([isOfProjects(operates)]));
  return where.or(seen);
}

async function selectPage(reader: Reader, scope: ListScope | null, query: Asked, limit: number): Promise<TaskRow[]> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
  const statuses = statusesOf(query);
  if (statuses.length === 0) return [];
  const range = { after, limit, offset: query.offset ?? 0 };
  if (query.sort === "ended") return selectLastEnded(reader, scope, query, statuses, range);
  if (scope !== null && "person" in scope) return selectOfPerson(reader, scope, query, statuses, range);
  if (scope !== null && "projects" in scope && scope.projects.length === 0) return [];
  const agent = agentOf(query, scope);
  // An agent has no tasks of another.
  if (agent !== null && query.agent !== undefined && query.agent !== agent) return [];
  if (agent !== null) return selectOfAgent(reader, agent, query, statuses, range);
  return query.sort === "deadline"
    ? selectSoonest(reader, query, statuses, range)
    : selectNewest(reader, query, statuses, range);
}

interface Range {
  after: Position | null;
  limit: number;
  offset: number;
}

/** Returns the agent whose tasks are asked for, or the only one whose tasks the caller sees; null if there is none. */
function agentOf(query: ListTasksQuery, scope: ListScope | null): string | null {
  if (scope !== null && "agent" in scope) return scope.agent;
  return query.agent ?? null;
}

/** Applies the filters, except the status. */
function filtered(reader: Reader, query: Asked, tasks?: AliasedExpression<TaskRow, "tasks">): TaskQuery {
  const { assigned_to: person, unassigned, q, key, key_prefix, agent, asker, projects, label = [], priority } = query;
  const from = tasks === undefined ? reader.query.selectFrom("tasks") : reader.query.selectFrom(tasks);
  let select = (from as TaskQuery).modifyEnd(beyondHome("list of tasks"));
  if (projects !== null) select = select.where(isOfProjects(projects));
  if (query.snoozed.length > 0 && key === undefined && !(q && (isTaskId(q) || isForSnoozed(q))))
    select = select.where(isNotAmong(reader, query.snoozed));
  if (query.withoutConfidential === true) select = select.where("redact_payload", "=", 0);
  if (agent !== undefined) select = select.where("asked_by_id", "=", agent).where(IS_OF_AGENT);
  if (key !== undefined) select = select.where("idempotency_key", "=", key).where("asked_by_id", "=", asker);
  if (unassigned === true)
    select = select.where("assigned_to_email", "is", null).where("assigned_to_user_id", "is", null);
  if (unassigned === false)
    select = select.where((where) =>
      where.or([where("assigned_to_email", "is not", null), where("assigned_to_user_id", "is not", null)]),
    );
  if (person !== undefined) {
    select = isEmail(person)
      ? select
          .where("assigned_to_email", "is not", null)
          .where(sql<boolean>`lower(assigned_to_email) = lower(${person})`)
      : select.where("assigned_to_user_id", "=", person);
  }
  if (q) select = isTaskId(q) ? select.where(isTask(q.trim())) : select.where(matches(reader, q, query));
  for (const one of label) select = select.where(hasLabel(reader, one));
  if (priority !== undefined) select = select.where(hasPriority(priority));
  const { decision, completed_by, channel, ended } = query;
  if (decision !== undefined) select = select.where("tasks.decision", "=", decision);
  if (completed_by !== undefined)
    select = isEmail(completed_by)
      ? select.where(sql<boolean>`lower(tasks.completed_by_email) = lower(${completed_by})`)
      : select.where("tasks.completed_by_user_id", "=", completed_by);
  if (channel !== undefined) select = select.where(isThrough(channel));
  if (ended.from !== null) select = select.where("tasks.ended_at", ">=", ended.from);
  if (ended.to !== null) select = select.where("tasks.ended_at", "<", ended.to);
  const { created, tone, edited, refused, question } = query;
  // Ids begin with the time.
  if (created.from !== null) select = select.where("tasks.id", ">=", lowestId("tsk", Math.max(created.from, 0)));
  if (created.to !== null) select = select.where("tasks.id", "<", lowestId("tsk", Math.max(created.to, 0)));
  if (tone !== undefined) select = select.where("tasks.decision_tone", "=", tone);
  if (edited !== undefined) select = select.where("tasks.edited", "=", Number(edited));
  if (refused !== undefined) select = select.where("tasks.verification_attempt", refused ? ">" : "=", 0);
  if (question !== undefined) select = select.where("tasks.question", "=", question);
  if (key_prefix !== undefined) select = select.where(startsWith(reader, "idempotency_key", key_prefix));
  if (query.until !== undefined) select = select.where(isUntil(query.until, query));
  return select;
}

/** Whether a task is not behind a place in the order. */
function isUntil([at, id]: Position, { sort }: Asked): Expression<SqlBool> {
  if (sort === "deadline") return sql<SqlBool>`(tasks.timeout_at, tasks.id) <= (${at}, ${id})`;
  if (sort === "ended") return sql<SqlBool>`(tasks.ended_at, tasks.id) >= (${at}, ${id})`;
  return sql<SqlBool>`tasks.id >= ${id}`;
}

/** Whether a task was answered through a channel. An answer that names none came through the API. */
function isThrough(channel: string): RawBuilder<SqlBool> {
  const isNamed = sql<SqlBool>`tasks.completed_via_channel = ${channel}`;
  return channel === API_CHANNEL
    ? sql<SqlBool>`(${isNamed} or (tasks.completed_via_channel is null and tasks.status = 'completed'))`
    : isNamed;
}

function isNotAmong(reader: Reader, ids: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`not ${isAmong(reader.dialect, "tasks.id", idsFor(reader, ids))}`;
}

/** The index of the tasks of agents has no others. */
export const IS_OF_AGENT = sql<boolean>`asked_by_kind = 'agent'`;

function isTask(id: string): Expression<SqlBool> {
  const where = expressionBuilder<Schema, "tasks">();
  return where.and([where("tasks.id", "=", id), where("tasks.home", "=", homeOf(id))]);
}

/** A complete id, as it is copied from a log. */
function isTaskId(q: string): boolean {
  return isId("tsk", q.trim());
}

/**
 * Each status is a range of its own in tasks_by_status or tasks_by_assignee; the newest of each are merged. A single
 * condition for all statuses would leave it to the database to find a way, and it takes one that grows with what is stored.
 */
async function selectNewest(
  reader: Reader,
  query: Asked,
  statuses: readonly TaskStatus[],
  { after, limit, offset }: Range,
): Promise<TaskRow[]> {
  const asked = filtered(reader, query);
  // Ids begin with the time.
  const newest = after ? asked.where("id", "<", after[1]) : asked;
  if (query.assigned_to === undefined && isSame(statuses, TASK_STATUSES))
    return newest.orderBy("id", "desc").limit(limit).offset(offset).selectAll().execute();

  const { assigned_to, unassigned, q, key_prefix, label, priority } = query;
  const isFiltered = [assigned_to, unassigned, q, key_prefix, label, priority].some((filter) => filter !== undefined);
  const [first, ...others] = statuses.map((status) => {
    const select = isFiltered
      ? newest.where("status", "=", status)
      : // The same, in words that only tasks_by_status is in order for: the primary key, with a filter, passes over everything newer.
        asked
          .where("status", ">=", status)
          .where(sql<boolean>`(status, id) < (${status}, ${after?.[1] ?? ABOVE_ALL_IDS})`)
          .orderBy("status", "desc");
    const ids = select
      .select("id")
      .orderBy("id", "desc")
      .limit(limit + offset);
    return reader.query.selectFrom(ids.as("newest")).select("newest.id");
  });
  const merged = others.reduce((all, next) => all.unionAll(next), first!);
  return reader.query
    .selectFrom("tasks")
    .selectAll()
    .where("id", "in", merged.orderBy("id", "desc").limit(limit).offset(offset))
    .orderBy("id", "desc")
    .execute();
}

/**
 * Selects the tasks that are assigned or offered to a person. Each is its own range per status in tasks_by_user,
 * tasks_by_assignee and task_candidates.
 */
async function selectOfPerson(
  reader: Reader,
  scope: Extract<ListScope, { person: Person }>,
  query: Asked,
  statuses: readonly TaskStatus[],
  { after, limit, offset }: Range,
): Promise<TaskRow[]> {
  const isByDeadline = query.sort === "deadline";
  const merged = idsOfPerson(reader, scope, query, statuses, { after, limit, offset });
  const page = reader.query.selectFrom("tasks").selectAll().where("id", "in", merged).limit(limit).offset(offset);
  if (!isByDeadline) return page.orderBy("id", "desc").execute();
  return page
    .$if(after !== null, (select) => select.where(sql<boolean>`(timeout_at, id) > (${after![0]}, ${after![1]})`))
    .orderBy("timeout_at")
    .orderBy("id")
    .execute();
}

/** Selects the ids of these tasks. */
function idsOfPerson(
  reader: Reader,
  { person, operates }: Extract<ListScope, { person: Person }>,
  query: Asked,
  statuses: readonly TaskStatus[],
  { after, limit, offset }: Range,
) {
  const isByDeadline = query.sort === "deadline";
  const asked = filtered(reader, query);
  const newest = after && !isByDeadline ? asked.where("tasks.id", "<", after[1]) : asked;
  const ids = statuses.flatMap((status) => {
    const ranges = [newest.where("tasks.status", "=", status).where("assigned_to_user_id", "=", person.id)];
    if (person.email !== null)
      ranges.push(
        newest
          .where("tasks.status", "=", status)
          .where("assigned_to_user_id", "is", null)
          .where("assigned_to_email", "is not", null)
          .where(sql<boolean>`lower(assigned_to_email) = lower(${person.email})`),
      );
    if (operates.length > 0) ranges.push(newest.where("tasks.status", "=", status).where(isOfProjects(operates)));
    return ranges.map((range) => range.select("tasks.id"));
  });
  const open = statuses.filter((status) => !isTerminal(status));
  if (open.length > 0)
    for (const name of namesOf(person))
      ids.push(
        newest
          .innerJoin("task_candidates", (join) =>
            join.onRef("task_candidates.task_id", "=", "tasks.id").onRef("task_candidates.home", "=", "tasks.home"),
          )
          .where("task_candidates.person", "=", name)
          .where("task_candidates.is_open", "=", 1)
          // As an expression, which keeps the index by status out of it: open tasks are many, and offers to one person few.
          .where(sql<boolean>`tasks.status || '' in (${sql.join(open)})`)
          .where("assigned_to_user_id", "is", null)
          .where("assigned_to_email", "is", null)
          .select("tasks.id"),
      );
  const [first, ...others] = ids.map((some) => {
    const cut = isByDeadline ? some : some.orderBy("tasks.id", "desc").limit(limit + offset);
    return reader.query.selectFrom(cut.as("some")).select("some.id");
  });
  // A task may be there twice, as theirs by id and offered to their address.
  return others.reduce((all, next) => all.union(next), first!);
}

/** Selects the tasks that an agent created, along tasks_by_agent. */
async function selectOfAgent(
  reader: Reader,
  agent: string,
  query: Asked,
  statuses: readonly TaskStatus[],
  { after, limit, offset }: Range,
): Promise<TaskRow[]> {
  let select = filtered(reader, query).where("asked_by_id", "=", agent).where(IS_OF_AGENT);
  if (!isSame(statuses, TASK_STATUSES)) select = select.where("status", "in", statuses);
  // Open tasks have an index of their own.
  if (statuses.every((status) => !isTerminal(status))) select = select.where("ended_at", "is", null);
  const page = select.limit(limit).offset(offset).selectAll();
  if (query.sort !== "deadline")
    return page
      .$if(after !== null, (some) => some.where("id", "<", after![1]))
      .orderBy("id", "desc")
      .execute();
  return page
    .$if(after !== null, (some) => some.where(sql<boolean>`(timeout_at, id) > (${after![0]}, ${after![1]})`))
    .orderBy("timeout_at")
    .orderBy("id")
    .execute();
}

/** Selects closed tasks, the last ended first. */
async function selectLastEnded(
  reader: Reader,
  scope: ListScope | null,
  query: Asked,
  statuses: readonly TaskStatus[],
  { after, limit, offset }: Range,
): Promise<TaskRow[]> {
  if (scope !== null && "projects" in scope && scope.projects.length === 0) return [];
  const agent = agentOf(query, scope);
  if (agent !== null && query.agent !== undefined && query.agent !== agent) return [];
  let ended = filtered(reader, query).where("tasks.ended_at", "is not", null);
  if (agent !== null) ended = ended.where("asked_by_id", "=", agent).where(IS_OF_AGENT);
  // As an expression, which keeps the index by status out of it.
  if (!isSame(statuses, TERMINAL_STATUSES))
    ended = ended.where(sql<boolean>`tasks.status || '' in (${sql.join(statuses)})`);
  if (after !== null)
    ended = ended
      .where("tasks.ended_at", "<=", after[0])
      .where(sql<boolean>`(tasks.ended_at, tasks.id) < (${after[0]}, ${after[1]})`);
  if (scope === null || !("person" in scope))
    return ended
      .orderBy("tasks.ended_at", "desc")
      .orderBy("tasks.id", "desc")
      .limit(limit)
      .offset(offset)
      .selectAll()
      .execute();

  const { person, operates } = scope;
  const ranges = [ended.where("assigned_to_user_id", "=", person.id)];
  if (person.email !== null)
    ranges.push(
      ended
        .where("assigned_to_user_id", "is", null)
        .where("assigned_to_email", "is not", null)
        .where(sql<boolean>`lower(assigned_to_email) = lower(${person.email})`),
    );
  if (operates.length > 0) ranges.push(ended.where(isOfProjects(operates)));
  const [first, ...others] = ranges.map((some) => {
    const cut = some
      .select("tasks.id")
      .orderBy("tasks.ended_at", "desc")
      .orderBy("tasks.id", "desc")
      .limit(limit + offset);
    return reader.query.selectFrom(cut.as("some")).select("some.id");
  });
  const merged = others.reduce((all, next) => all.union(next), first!);
  return reader.query
    .selectFrom("tasks")
    .selectAll()
    .where("id", "in", merged)
    .orderBy("ended_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
}

async function selectSoonest(
  reader: Reader,
  query: Asked,
  statuses: readonly TaskStatus[],
  { after, limit, offset }: Range,
): Promise<TaskRow[]> {
  let select = filtered(reader, query);
  if (query.assigned_to === undefined && statuses.every((status) => !isTerminal(status))) {
    // Along tasks_open, which is in this order; the expression keeps the index by status, which is not, out of it.
    select = select.where("ended_at", "is", null);
    if (!isSame(statuses, OPEN_STATUSES)) select = select.where(sql<boolean>`status || '' = ${statuses[0]}`);
  } else if (!isSame(statuses, TASK_STATUSES)) {
    select = select.where("status", "in", statuses);
  }
  if (after) select = select.where(sql<boolean>`(timeout_at, id) > (${after[0]}, ${after[1]})`);
  return select.orderBy("timeout_at").orderBy("id").limit(limit).offset(offset).selectAll().execute();
}

/** What of each task is in a list. */
interface Extent {
  /** The payload and the response. */
  withDocuments: boolean;
  withSchemas: boolean;
}

function cutPage(rows: TaskRow[], { withDocuments, withSchemas }: Extent): TaskRow[] {
  let characters = 0;
  const end = rows.findIndex((row, i) => {
    characters += (withDocuments ? row.listed_length : row.task.length) + (withSchemas ? row.schemas_length : 0);
    return characters > PAGE_CHARACTERS_MAX && i > 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

type ListedDocuments = Pick<TaskWithDocuments, "listed_action" | "assign_to" | "notify" | "verifier_config"> &
  Partial<Pick<TaskWithDocuments, "payload" | "response" | "payload_schema" | "response_schema" | "form_definition">>;

async function selectDocuments(reader: Reader, rows: TaskRow[], { withDocuments, withSchemas }: Extent) {
  const found = new Map<string, ListedDocuments>();
  if (rows.length === 0) return found;
  const select = reader.query
    .selectFrom("task_documents as d")
    .leftJoin("task_responses as r", (join) => join.onRef("r.task_id", "=", "d.task_id").onRef("r.home", "=", "d.home"))
    .select(["d.task_id", "d.listed_action", "d.assign_to", "d.notify", "d.verifier_config"])
    .$if(withDocuments, (query) => query.select(["d.payload", "r.response"]))
    .$if(withSchemas, (query) => query.select(["d.payload_schema", "d.response_schema", "d.form_definition"]))
    .where(isOneOf(reader.dialect, ["d.task_id", "d.home"], locationsFor(reader, rows)));
  for (const { task_id, ...document } of await select.execute()) found.set(task_id, document);
  if (withDocuments) await putInRound(reader, rows, found);
  return found;
}

/** Puts what people review now in place of what was asked for, where an edit has begun another round of approvals. */
async function putInRound(
  reader: Reader,
  rows: readonly TaskRow[],
  found: Map<string, ListedDocuments>,
): Promise<void> {
  for (const row of rows) {
    const document = found.get(row.id);
    if (document?.payload === undefined || roundOf(row) === 1) continue;
    const votes = await votesFor(reader, row);
    found.set(row.id, { ...document, payload: payloadOf({ ...row, votes, payload: document.payload }) });
  }
}

/**
 * Counts the open tasks that a list shows to a person, up to `max`: what is beyond is not read.
 * @throws ServiceError as `listTasks` does
 */
export async function countUpTo(
  { db }: { db: Db },
  caller: SessionCaller,
  query: ListTasksQuery,
  max: number,
): Promise<number> {
  const scope = await scopeOf(db, caller, query.project);
  const asked = askedBy(caller, scope, query, await snoozedOf(db, caller));
  const statuses = statusesOf({ ...query, terminal: false });
  if (statuses.length === 0) return 0;
  if (scope !== null && "person" in scope)
    return (await selectOfPerson(db.heavy, scope, asked, statuses, { after: null, limit: max, offset: 0 })).length;
  let open = filtered(db.heavy, asked).where("tasks.ended_at", "is", null);
  // As an expression, which keeps the index by status out of it.
  if (!isSame(statuses, OPEN_STATUSES)) open = open.where(sql<boolean>`tasks.status || '' = ${statuses[0]}`);
  const { count } = await db.heavy.query
    .selectFrom(open.select("tasks.id").limit(max).as("some"))
    .select(sql<number>`count(*)`.as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns the open tasks that are assigned or offered to a person, the soonest deadline first, without those that they snoozed. */
export async function soonestFor(db: Db, person: Person, limit: number): Promise<Task[]> {
  const snoozed = (await readSnoozed(db, person, db.now())).map(({ task_id }) => task_id);
  const scope = { person, operates: [] };
  const asked: Asked = { ...askedFor(person, projectsIn(scope), snoozed), terminal: false, sort: "deadline" };
  return (await selectPage(db.heavy, scope, asked, limit)).map(toTask);
}

function askedFor(me: Person, projects: readonly string[] | null, snoozed: readonly string[]): Asked {
  return { asker: "", me, snoozed, projects, ended: NO_RANGE, created: NO_RANGE };
}

/** Selects the ids of the open tasks that are assigned or offered to a person. @param snoozed - ids that are left out */
export function openIdsOf(
  reader: Reader,
  person: Person,
  { projects, snoozed, max }: { projects: readonly string[] | null; snoozed: readonly string[]; max: number },
) {
  const range = { after: null, limit: max, offset: 0 };
  return idsOfPerson(reader, { person, operates: [] }, askedFor(person, projects, snoozed), OPEN_STATUSES, range);
}
