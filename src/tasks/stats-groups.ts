import { sql, type SelectQueryBuilder } from "kysely";
import { headingOf } from "../../form/plan/heading.ts";
import { beyondHome } from "../db/beyond-home.ts";
import type { Db, Reader } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import { isOneOf, locationsFor } from "../db/ids.ts";
import type { Schema } from "../db/schema.ts";
import { lowestId } from "../lib/ids.ts";
import { DAY, HOUR, isoTime } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import { projectsOf } from "../people/projects.ts";
import { requireMay } from "./access.ts";
import { COUNTED_EACH_TIME, countRarely, nameOf } from "./counted-rarely.ts";
import { isOfProjects } from "./in-projects.ts";
import type { StatsGroups, StatsGroupsQuery } from "./schema.ts";
import { readStatsRange, type StatsRange } from "./stats-range.ts";
import { hasMany } from "./totals.ts";

/**
 * Tasks that are read at most. Stored totals know no agents, questions, people and labels, because each hour would have
 * thousands of them. So the last closed tasks are counted, along the index of closed tasks.
 */
export const COUNTED_MAX = 50_000;
const GROUPS_MAX = 20;

/** The ages of open tasks, each up to the next; the last has no end. */
const AGES = [0, HOUR, 4 * HOUR, DAY, 3 * DAY, 7 * DAY];

type TaskQuery = SelectQueryBuilder<Schema, "tasks", object>;
/** PostgreSQL returns a sum as text. */
type Sum = number | string;

const times = (condition: string) => sql<Sum>`coalesce(sum(case when ${sql.raw(condition)} then 1 else 0 end), 0)`;

const COUNTS = [
  sql<number>`count(*)`.as("closed"),
  times("tasks.status = 'completed'").as("completed"),
  times("tasks.status = 'completed' and tasks.decision_tone = 'ok'").as("approved"),
  times("tasks.status = 'completed' and tasks.decision_tone = 'bad'").as("rejected"),
  times("tasks.edited = 1").as("edited"),
  times("tasks.edited = 0").as("unedited"),
  times("tasks.verification_attempt > 0").as("refused"),
] as const;

interface CountRow extends Record<"completed" | "approved" | "rejected" | "edited" | "unedited" | "refused", Sum> {
  closed: number;
}

/**
 * Returns how the tasks of some days closed, by who asked, what was asked, who answered and label, and how long open tasks
 * have waited. The groups are counted when they are asked for, at most `COUNTED_MAX` tasks.
 * @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, VALIDATION_FAILED
 */
export async function readStatsGroups(
  { db }: { db: Db },
  caller: Caller,
  { project, ...asked }: StatsGroupsQuery,
): Promise<StatsGroups> {
  requireMay(caller, "stats");
  const projects = await projectsOf(db, caller, project);
  const range = readStatsRange(asked, db.now());
  const key = `groups of ${range.from} to ${range.to} in ${nameOf(projects)}`;
  return countRarely(db, key, async () => {
    const value = await countGroups(db, projects, range);
    // The tasks of other projects may have been read as well.
    const waiting = value.waiting.ages.reduce((sum, { open }) => sum + open, 0);
    const isMany =
      value.all.closed + waiting > COUNTED_EACH_TIME ||
      (projects !== null && (await hasMany(db.heavy, range.from, range.to, COUNTED_EACH_TIME)));
    return { value, isMany };
  });
}

async function countGroups(db: Db, projects: readonly string[] | null, range: StatsRange): Promise<StatsGroups> {
  const reader = db.heavy;
  const within = (query: TaskQuery) => (projects === null ? query : query.where(isOfProjects(projects)));
  const tasks = () => within(reader.query.selectFrom("tasks").modifyEnd(beyondHome("counts and statistics")));
  const ended = (from: number) => tasks().where("tasks.ended_at", ">=", from).where("tasks.ended_at", "<", range.to);

  const [beyond] = await ended(range.from)
    .select("tasks.ended_at")
    .orderBy("tasks.ended_at", "desc")
    .orderBy("tasks.id", "desc")
    .limit(1)
    .offset(COUNTED_MAX)
    .execute();
  // Tasks that ended in the same millisecond are all left out, so that the numbers and their lists are the same.
  const from = beyond === undefined ? range.from : beyond.ended_at! + 1;
  const counted = () => ended(from);

  const all = await counted().select(COUNTS).executeTakeFirstOrThrow();
  const agents = await counted()
    .where("tasks.asked_by_kind", "=", "agent")
    .select(["tasks.asked_by_id as key", NEWEST, ...COUNTS])
    .groupBy("tasks.asked_by_id")
    .orderBy("closed", "desc")
    .orderBy("key")
    .limit(GROUPS_MAX)
    .execute();
  const questions = await counted()
    .where("tasks.question", "is not", null)
    .select(["tasks.question as key", NEWEST, ...COUNTS])
    .groupBy("tasks.question")
    .orderBy("closed", "desc")
    .orderBy("key")
    .limit(GROUPS_MAX)
    .execute();
  const people = await counted()
    .where("tasks.completed_by_user_id", "is not", null)
    .select(["tasks.completed_by_user_id as key", NEWEST, ...COUNTS])
    .groupBy("tasks.completed_by_user_id")
    .orderBy("closed", "desc")
    .orderBy("key")
    .limit(GROUPS_MAX)
    .execute();
  const labels = await counted()
    .innerJoin("task_labels", (join) =>
      join.onRef("task_labels.task_id", "=", "tasks.id").onRef("task_labels.home", "=", "tasks.home"),
    )
    .select(["task_labels.label as key", ...COUNTS])
    .groupBy("task_labels.label")
    .orderBy("closed", "desc")
    .orderBy("key")
    .limit(GROUPS_MAX)
    .execute();
  const names = await readNames(reader, [...agents, ...questions]);
  const users = await readUserNames(
    reader,
    people.map(({ key }) => key!),
  );

  return {
    from: isoTime(range.from),
    to: isoTime(range.to),
    counted_from: isoTime(from),
    is_complete: beyond === undefined,
    all: countsOf(all),
    by_agent: agents.map((row) => ({ agent: row.key, name: names.get(row.newest)!.asked_by_name, ...countsOf(row) })),
    by_question: questions.map((row) => ({
      question: row.key!,
      title: headingOf(names.get(row.newest)!.task)[0],
      ...countsOf(row),
    })),
    by_person: people.map((row) => ({ user_id: row.key!, name: users.get(row.key!) ?? null, ...countsOf(row) })),
    by_label: labels.map((row) => ({ label: row.key, ...countsOf(row) })),
    waiting: await readAges(tasks(), db.now()),
  };
}

/** Ids begin with the time. */
const NEWEST = sql<string>`max(tasks.id)`.as("newest");

function countsOf({ closed, ...sums }: CountRow): StatsGroups["all"] {
  const { completed, approved, rejected, edited, unedited, refused } = sums;
  return {
    closed,
    completed: Number(completed),
    approved: Number(approved),
    rejected: Number(rejected),
    edited: Number(edited),
    unedited: Number(unedited),
    refused: Number(refused),
  };
}

async function readNames(reader: Reader, groups: readonly { newest: string }[]) {
  const located = groups.map(({ newest: id }) => ({ id, home: homeOf(id) }));
  if (located.length === 0) return new Map<string, { asked_by_name: string; task: string }>();
  const rows = await reader.query
    .selectFrom("tasks")
    .select(["id", "task", "asked_by_name"])
    .where(isOneOf(reader.dialect, ["id", "home"], locationsFor(reader, located)))
    .execute();
  // A task that was deleted since then has no name.
  const names = new Map(located.map(({ id }) => [id, { asked_by_name: "", task: "" }]));
  for (const { id, ...name } of rows) names.set(id, name);
  return names;
}

async function readUserNames(reader: Reader, ids: readonly string[]): Promise<Map<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.query
    .selectFrom("users")
    .select(["id", "display_name", "email"])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, display_name, email }) => [id, display_name ?? email]));
}

/** Counts open tasks by how long ago they were created, which their ids say. */
async function readAges(tasks: TaskQuery, now: number): Promise<StatsGroups["waiting"]> {
  const open = await tasks
    .where("tasks.ended_at", "is", null)
    .select("tasks.id")
    .orderBy("tasks.timeout_at")
    .limit(COUNTED_MAX + 1)
    .execute();
  const limits = AGES.map((age) => lowestId("tsk", Math.max(now - age, 0)));
  const counts = AGES.map(() => 0);
  for (const { id } of open.slice(0, COUNTED_MAX)) {
    const next = limits.findIndex((limit, i) => i > 0 && id >= limit);
    counts[next === -1 ? AGES.length - 1 : next - 1]! += 1;
  }
  return {
    is_complete: open.length <= COUNTED_MAX,
    ages: AGES.map((age, i) => ({
      after: isoTimeOrNull(AGES[i + 1] === undefined ? null : now - AGES[i + 1]!),
      before: isoTimeOrNull(i === 0 ? null : now - age),
      open: counts[i]!,
    })),
  };
}

function isoTimeOrNull(time: number | null): string | null {
  return time === null ? null : isoTime(time);
}
