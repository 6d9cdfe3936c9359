import { sql, type RawBuilder, type SelectQueryBuilder } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import type { Db, Reader } from "../db/database.ts";
import { idsFor, isAmong } from "../db/ids.ts";
import type { Schema } from "../db/schema.ts";
import { HOUR } from "../lib/time.ts";
import { DEFAULT_PROJECT } from "../people/memberships.ts";
import { COUNTED_EACH_TIME, countRarely, keptCount, ROWS_COUNTED_EACH_TIME } from "./counted-rarely.ts";
import { isOfProjects } from "./in-projects.ts";
import { OPEN_STATUSES } from "./lifecycle.ts";
import type { Snoozed } from "./snooze-store.ts";

export interface OpenCounts {
  created: number;
  rejected: number;
  /** Without an assignee. */
  unclaimed: number;
  due_within_hour: number;
}
type ByProject = Map<string, OpenCounts>;

type TaskQuery = SelectQueryBuilder<Schema, "tasks", object>;

/** PostgreSQL returns a sum as text. */
export type Sum = number | string;

/** How many of the tasks meet a condition. */
export function total(condition: RawBuilder<unknown>): RawBuilder<Sum> {
  return sql<Sum>`coalesce(sum(case when ${condition} then 1 else 0 end), 0)`;
}

const KEY = "open tasks by project";

/**
 * Counts the open tasks of some projects (null: of all), without those that a person has snoozed. Up to `COUNTED_EACH_TIME`
 * are counted now. More are counted for all projects together, and that count serves every scope for some seconds.
 */
export async function countOpen(
  db: Db,
  projects: readonly string[] | null,
  snoozed: readonly Snoozed[] = [],
): Promise<OpenCounts> {
  if (projects?.length === 0) return { created: 0, rejected: 0, unclaimed: 0, due_within_hour: 0 };
  const kept = keptCount<ByProject>(db, KEY);
  // Some projects may have few tasks although all have many, and an index finds them.
  if (kept === null || (isIndexed(projects) && openIn(sumOf(kept.value, projects)) <= COUNTED_EACH_TIME)) {
    const few = await countFew(db.heavy, { projects, snoozed, now: db.now() });
    if (few !== null) return few;
  }
  const all = await countRarely(db, KEY, async () => ({
    value: await countByProject(db.heavy, db.now()),
    isMany: true,
  }));
  const counts = without(sumOf(all, projects), { projects, snoozed, now: db.now() });
  const read = sumOf(all, null).due_within_hour;
  if (read > (projects === null ? COUNTED_EACH_TIME : ROWS_COUNTED_EACH_TIME)) return counts;
  return { ...counts, due_within_hour: await countDue(db.heavy, { projects, snoozed, now: db.now() }) };
}

export function openIn({ created, rejected }: Pick<OpenCounts, "created" | "rejected">): number {
  return created + rejected;
}

interface Scope {
  projects: readonly string[] | null;
  snoozed: readonly Snoozed[];
  now: number;
}

/** Returns whether tasks_by_project finds these tasks. It does not have those of the default project. */
function isIndexed(projects: readonly string[] | null): projects is readonly string[] {
  return projects !== null && !projects.includes(DEFAULT_PROJECT);
}

/** Returns null if there are more than are counted each time. */
async function countFew(reader: Reader, scope: Scope): Promise<OpenCounts | null> {
  const { projects } = scope;
  const tasks = openTasks(reader);
  const some = isIndexed(projects)
    ? tasks.where("tasks.status", "in", OPEN_STATUSES).where(isOfProjects(projects))
    : // In the order of tasks_open, which has all that is counted but the project.
      tasks.orderBy("tasks.timeout_at");
  const read = some
    .select(["tasks.id", "tasks.status", "tasks.assigned_to_email", "tasks.assigned_to_user_id", "tasks.timeout_at"])
    .$if(projects !== null, (query) => query.select("tasks.project"))
    .limit(COUNTED_EACH_TIME + 1);
  const isCounted = isIn(reader, scope);
  const counts = await reader.query
    .selectFrom(read.as("tasks"))
    .select([
      sql<number>`count(*)`.as("read"),
      total(sql`${isCounted} and status = 'created'`).as("created"),
      total(sql`${isCounted} and status = 'rejected'`).as("rejected"),
      total(sql`${isCounted} and ${IS_UNCLAIMED}`).as("unclaimed"),
      total(sql`${isCounted} and timeout_at <= ${scope.now + HOUR}`).as("due_within_hour"),
    ])
    .executeTakeFirstOrThrow();
  return counts.read > COUNTED_EACH_TIME ? null : toNumbers(counts);
}

const IS_UNCLAIMED = sql`assigned_to_email is null and assigned_to_user_id is null`;

function openTasks(reader: Reader): TaskQuery {
  return reader.query
    .selectFrom("tasks")
    .where("tasks.ended_at", "is", null)
    .modifyEnd(beyondHome("counts and statistics"));
}

function isIn(reader: Reader, { projects, snoozed }: Scope): RawBuilder<boolean> {
  const ids = idsFor(
    reader,
    snoozed.map(({ task_id }) => task_id),
  );
  const isOfScope = projects === null ? sql`1 = 1` : isOfProjects(projects);
  return snoozed.length === 0
    ? sql<boolean>`${isOfScope}`
    : sql<boolean>`${isOfScope} and not ${isAmong(reader.dialect, "tasks.id", ids)}`;
}

function toNumbers({ created, rejected, unclaimed, due_within_hour }: Record<keyof OpenCounts, Sum>): OpenCounts {
  return {
    created: Number(created),
    rejected: Number(rejected),
    unclaimed: Number(unclaimed),
    due_within_hour: Number(due_within_hour),
  };
}

async function countByProject(reader: Reader, now: number): Promise<ByProject> {
  const rows = await openTasks(reader)
    .select([
      "tasks.project",
      total(sql`status = 'created'`).as("created"),
      total(sql`status = 'rejected'`).as("rejected"),
      total(IS_UNCLAIMED).as("unclaimed"),
      total(sql`timeout_at <= ${now + HOUR}`).as("due_within_hour"),
    ])
    .groupBy("tasks.project")
    .execute();
  return new Map(rows.map(({ project, ...counts }) => [project, toNumbers(counts)]));
}

/** Counts tasks that are due within an hour, along tasks_open. */
async function countDue(reader: Reader, scope: Scope): Promise<number> {
  const { count } = await openTasks(reader)
    .where("tasks.timeout_at", "<=", scope.now + HOUR)
    .where(isIn(reader, scope))
    .select(sql<number>`count(*)`.as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

function sumOf(all: ByProject, projects: readonly string[] | null): OpenCounts {
  const sum = { created: 0, rejected: 0, unclaimed: 0, due_within_hour: 0 };
  for (const project of projects ?? all.keys()) {
    const counts = all.get(project);
    if (!counts) continue;
    sum.created += counts.created;
    sum.rejected += counts.rejected;
    sum.unclaimed += counts.unclaimed;
    sum.due_within_hour += counts.due_within_hour;
  }
  return sum;
}

/** Subtracts tasks. Some of them may be younger than the count. */
function without(counts: OpenCounts, { projects, snoozed, now }: Scope): OpenCounts {
  const inProjects = snoozed.filter(({ project }) => projects === null || projects.includes(project));
  const less = (count: number, isCounted: (task: Snoozed) => boolean) =>
    Math.max(count - inProjects.filter((task) => isCounted(task)).length, 0);
  return {
    created: less(counts.created, ({ status }) => status === "created"),
    rejected: less(counts.rejected, ({ status }) => status === "rejected"),
    unclaimed: less(counts.unclaimed, (task) => !task.assigned_to_email && !task.assigned_to_user_id),
    due_within_hour: less(counts.due_within_hour, ({ timeout_at }) => timeout_at <= now + HOUR),
  };
}
