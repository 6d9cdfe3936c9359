import { sql } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import type { Db, Reader } from "../db/database.ts";
import { emailKey } from "../lib/text.ts";
import { DAY } from "../lib/time.ts";
import type { Person } from "../people/caller.ts";
import { COUNTED_EACH_TIME, countRarely, keptCount, ROWS_COUNTED_EACH_TIME } from "./counted-rarely.ts";
import { startOf } from "./stored-totals.ts";

/** Which closed tasks are counted: all of some projects (null: of all), and those of a person or an agent in other ones. */
interface ClosedScope {
  projects: readonly string[] | null;
  person?: Person;
  agent?: string;
  /** The projects that other tasks of the person or the agent may be in; null: any. */
  within?: readonly string[] | null;
}

/** Closed tasks by project, and those of each person or agent. */
interface Closed {
  read: number;
  byProject: Map<string, number>;
  byKey: Map<string, { project: string; count: number }[]>;
}

/** Counts the tasks that closed since midnight (UTC). Many are counted for all scopes together, some seconds ago at most. */
export async function countClosedToday(db: Db, scope: ClosedScope): Promise<number> {
  const from = startOf(DAY, db.now());
  const by = scope.agent === undefined ? "assignee" : "agent";
  const key = `closed since ${from} by ${by}`;
  if (keptCount(db, key) === null) {
    if (scope.projects === null) {
      const few = await countAll(db.heavy, from, COUNTED_EACH_TIME + 1);
      if (few <= COUNTED_EACH_TIME) return few;
    } else {
      const few = await readClosed(db.heavy, by, from, ROWS_COUNTED_EACH_TIME + 1);
      if (few.read <= ROWS_COUNTED_EACH_TIME) return sumOf(few, scope);
    }
  }
  return sumOf(
    await countRarely(db, key, async () => ({ value: await readClosed(db.heavy, by, from, null), isMany: true })),
    scope,
  );
}

function closedFrom(reader: Reader, from: number) {
  return (
    reader.query
      .selectFrom("tasks")
      .where("ended_at", ">=", from)
      // Without statistics, PostgreSQL takes a range that has only one end for a third of all tasks.
      .where("ended_at", "<", from + DAY)
      .modifyEnd(beyondHome("counts and statistics"))
  );
}

/** Counts along tasks_ended. */
async function countAll(reader: Reader, from: number, max: number): Promise<number> {
  const some = closedFrom(reader, from).select("id").orderBy("ended_at").limit(max);
  const { count } = await reader.query
    .selectFrom(some.as("tasks"))
    .select(sql<number>`count(*)`.as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** @param max - of the tasks that are read; null: all */
async function readClosed(reader: Reader, by: "assignee" | "agent", from: number, max: number | null): Promise<Closed> {
  const some = closedFrom(reader, from)
    .select(["project", "assigned_to_user_id", "assigned_to_email", "asked_by_kind", "asked_by_id"])
    .$if(max !== null, (query) => query.orderBy("ended_at").limit(max!));
  const key = by === "agent" ? KEY_OF_AGENT : KEY_OF_ASSIGNEE;
  const rows = await reader.query
    .selectFrom(some.as("tasks"))
    .select(["project", key.as("key"), sql<number>`count(*)`.as("count")])
    .groupBy(["project", "key"])
    .execute();
  const closed: Closed = { read: 0, byProject: new Map(), byKey: new Map() };
  for (const { project, key, count } of rows) {
    closed.read += count;
    closed.byProject.set(project, (closed.byProject.get(project) ?? 0) + count);
    if (key === null) continue;
    const name = key.includes("@") ? emailKey(key) : key;
    closed.byKey.set(name, [...(closed.byKey.get(name) ?? []), { project, count }]);
  }
  return closed;
}

/** A person has a task by their id; their address counts only if no user had it when the task was assigned. */
const KEY_OF_ASSIGNEE = sql<string | null>`coalesce(assigned_to_user_id, assigned_to_email)`;
const KEY_OF_AGENT = sql<string | null>`case when asked_by_kind = 'agent' then asked_by_id end`;

function sumOf({ byProject, byKey }: Closed, { projects, person, agent, within = null }: ClosedScope): number {
  let sum = 0;
  for (const project of projects ?? byProject.keys()) sum += byProject.get(project) ?? 0;
  if (projects === null) return sum;
  const keys = [person?.id, person?.email && emailKey(person.email), agent];
  for (const own of keys.flatMap((key) => (key ? (byKey.get(key) ?? []) : [])))
    if (!projects.includes(own.project) && (within === null || within.includes(own.project))) sum += own.count;
  return sum;
}
