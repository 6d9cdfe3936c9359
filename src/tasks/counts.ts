import { sql } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import type { Db } from "../db/database.ts";
import { HOUR, isoTime } from "../lib/time.ts";
import type { Caller, Person } from "../people/caller.ts";
import { scopeOf, type ListScope } from "./access.ts";
import { countClosedToday } from "./count-closed.ts";
import { countOpen, openIn, total } from "./count-open.ts";
import { COUNTED_EACH_TIME, countRarely, nameOf } from "./counted-rarely.ts";
import { isOfProjects } from "./in-projects.ts";
import { IS_OF_AGENT, openIdsOf, projectsIn, snoozedOf } from "./list.ts";
import type { TaskCounts } from "./schema.ts";
import { isOf } from "./search.ts";
import { readSnoozed, type Snoozed } from "./snooze-store.ts";

/** Open tasks of one person that are counted. */
const COUNTED_MAX = 10_000;

/**
 * Returns how much there is to do, in the caller's scope. Small numbers are counted now; large ones are some seconds old at
 * most (counted-rarely.ts). A person's own tasks are always counted now.
 * @throws ServiceError as `scopeOf` does
 */
export async function countTasks({ db }: { db: Db }, caller: Caller, project: string | undefined): Promise<TaskCounts> {
  const scope = await scopeOf(db, caller, project);
  const projects = project === undefined ? projectsIn(scope) : [project];
  if (scope !== null && "agent" in scope) return countOfAgent(db, scope.agent, projects);
  const snoozed = await snoozedOf(db, caller);
  const counts = await (scope !== null && "person" in scope
    ? countOfPerson(db, scope, projects, snoozed)
    : countOfProjects(db, caller.kind === "user" ? caller.user : null, projects, snoozed));
  if (snoozed.length === 0) return counts;
  return { ...counts, snoozed: snoozed.length, next_wake_at: isoTime(snoozed[0]!.until) };
}

/** @param me - the person whose own tasks are counted; null for programs */
async function countOfProjects(
  db: Db,
  me: Person | null,
  projects: readonly string[] | null,
  snoozed: readonly Snoozed[],
): Promise<TaskCounts> {
  const { unclaimed, due_within_hour, ...open } = await countOpen(db, projects, snoozed);
  const own = me === null ? [] : await countOwn(db, me, projects, snoozed);
  return {
    open: openIn(open),
    mine: sumOf(own, "mine"),
    unclaimed,
    due_within_hour,
    closed_today: await countClosedToday(db, { projects }),
  };
}

async function countOfPerson(
  db: Db,
  { person, operates }: Extract<ListScope, { person: Person }>,
  projects: readonly string[] | null,
  snoozed: readonly Snoozed[],
): Promise<TaskCounts> {
  const own = await countOwn(db, person, projects, snoozed);
  // Their own tasks elsewhere, beside all of the projects where they are an operator.
  const elsewhere = own.filter(({ project }) => !operates.includes(project));
  const operated = await countOpen(db, operates, snoozed);
  const open = sumOf(elsewhere, "open");
  return {
    open: open + openIn(operated),
    mine: sumOf(own, "mine"),
    unclaimed: open - sumOf(elsewhere, "mine") + operated.unclaimed,
    due_within_hour: sumOf(elsewhere, "due_within_hour") + operated.due_within_hour,
    closed_today: await countClosedToday(db, { projects: operates, person, within: projects }),
  };
}

/** Returns how many open tasks are assigned or offered to a person, at most `COUNTED_MAX`, without those that they snoozed. */
export async function waitingFor(db: Db, person: Person): Promise<number> {
  return sumOf(await countOwn(db, person, null, await readSnoozed(db, person, db.now())), "open");
}

interface OwnCounts {
  project: string;
  open: number;
  mine: number;
  due_within_hour: number;
}

/** Counts the open tasks that are assigned or offered to a person by project, at most `COUNTED_MAX` tasks. */
async function countOwn(
  db: Db,
  person: Person,
  projects: readonly string[] | null,
  snoozed: readonly Snoozed[],
): Promise<OwnCounts[]> {
  const ids = openIdsOf(db.heavy, person, {
    projects,
    snoozed: snoozed.map(({ task_id }) => task_id),
    max: COUNTED_MAX,
  });
  const tasks = db.heavy.query
    .selectFrom("tasks")
    .select(["project", "assigned_to_user_id", "assigned_to_email", "timeout_at"])
    .where("id", "in", ids)
    .limit(COUNTED_MAX);
  const rows = await db.heavy.query
    .selectFrom(tasks.as("tasks"))
    .select(["project", sql<number>`count(*)`.as("open"), total(isOf(person)).as("mine")])
    .select(total(sql`timeout_at <= ${db.now() + HOUR}`).as("due_within_hour"))
    .groupBy("project")
    .execute();
  return rows.map(({ mine, due_within_hour, ...counts }) => ({
    ...counts,
    mine: Number(mine),
    due_within_hour: Number(due_within_hour),
  }));
}

function sumOf(own: readonly OwnCounts[], name: "open" | "mine" | "due_within_hour"): number {
  return own.reduce((sum, counts) => sum + counts[name], 0);
}

async function countOfAgent(db: Db, agent: string, projects: readonly string[] | null): Promise<TaskCounts> {
  const now = db.now();
  const open = await countRarely(db, `open tasks of agent ${agent} in ${nameOf(projects)}`, async () => {
    const { unclaimed, due_within_hour, ...counts } = await db.heavy.query
      .selectFrom("tasks")
      .where("asked_by_id", "=", agent)
      .where(IS_OF_AGENT)
      .where("ended_at", "is", null)
      .$if(projects !== null, (query) => query.where(isOfProjects(projects!)))
      .modifyEnd(beyondHome("counts and statistics"))
      .select([
        sql<number>`count(*)`.as("open"),
        total(sql`assigned_to_email is null and assigned_to_user_id is null`).as("unclaimed"),
        total(sql`timeout_at <= ${now + HOUR}`).as("due_within_hour"),
      ])
      .executeTakeFirstOrThrow();
    const value = { ...counts, unclaimed: Number(unclaimed), due_within_hour: Number(due_within_hour) };
    return { value, isMany: value.open > COUNTED_EACH_TIME };
  });
  return { ...open, mine: 0, closed_today: await countClosedToday(db, { projects: [], agent, within: projects }) };
}
