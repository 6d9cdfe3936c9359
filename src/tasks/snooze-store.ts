import { sql } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import { findQuestioners, type Comment } from "../conversation/store.ts";
import type { Reader, Tx } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import type { TaskRow } from "../db/schema.ts";
import type { Person } from "../people/caller.ts";
import { findUser } from "../people/store.ts";
import { isOf } from "./search.ts";

/** Tasks that one person has snoozed at a time. Every list of theirs leaves out each of them. */
export const SNOOZED_MAX = 200;

export interface Snoozed extends Pick<
  TaskRow,
  "project" | "status" | "assigned_to_user_id" | "assigned_to_email" | "timeout_at"
> {
  task_id: string;
  /** Epoch milliseconds. */
  until: number;
}

/** Returns the open tasks that a person has snoozed, those that come back first at the front. @param now - epoch milliseconds */
export async function readSnoozed(reader: Reader, person: Person, now: number): Promise<Snoozed[]> {
  return selectSnoozed(reader, person, now)
    .orderBy("s.until")
    .limit(SNOOZED_MAX + 1)
    .modifyEnd(beyondHome("snoozed tasks of a person"))
    .execute();
}

/** Returns until when a person has snoozed a task, in epoch milliseconds; null if they have not. */
export async function snoozedUntil(reader: Reader, person: Person, id: string, now: number): Promise<number | null> {
  const row = await selectSnoozed(reader, person, now)
    .where("s.task_id", "=", id)
    .where("s.home", "=", homeOf(id))
    .executeTakeFirst();
  return row?.until ?? null;
}

/** A row counts only as long as the task is as it was snoozed: it does not have to be removed when the task changes. */
function selectSnoozed(reader: Reader, person: Person, now: number) {
  return reader.query
    .selectFrom("task_snoozes as s")
    .innerJoin("tasks", (join) => join.onRef("tasks.id", "=", "s.task_id").onRef("tasks.home", "=", "s.home"))
    .select(["s.task_id", "s.until"])
    .select([
      "tasks.project",
      "tasks.status",
      "tasks.assigned_to_user_id",
      "tasks.assigned_to_email",
      "tasks.timeout_at",
    ])
    .where("s.user_id", "=", person.id)
    .where("s.until", ">", now)
    .where("tasks.ended_at", "is", null)
    .whereRef("tasks.version", "=", "s.version")
    .where((where) => where.or([where("s.was_mine", "=", 1), sql<boolean>`${isOf(person)} is not true`]));
}

/**
 * Brings a task back for the people that a comment names with `@` and their address or name, and for those whose questions it
 * answers. In the transaction of the comment.
 */
export async function wakeForComment(
  tx: Tx,
  { task_id, text, answers_seq }: Pick<Comment, "task_id" | "text" | "answers_seq">,
): Promise<void> {
  const rows = await tx.query
    .selectFrom("task_snoozes")
    .select("user_id")
    .where("task_id", "=", task_id)
    .where("home", "=", homeOf(task_id))
    .where("until", ">", tx.now())
    .execute();
  if (rows.length === 0) return;
  const answered = answers_seq === null ? [] : await findQuestioners(tx, task_id, answers_seq);
  const said = text.toLowerCase();
  const woken: string[] = [];
  for (const { user_id } of rows) {
    const user = await findUser(tx, user_id);
    const names = [user?.email, user?.display_name].filter((name) => name != null && name !== "");
    if (answered.includes(user_id) || names.some((name) => said.includes(`@${name!.toLowerCase()}`)))
      woken.push(user_id);
  }
  if (woken.length > 0) await deleteSnoozes(tx, task_id, woken);
}

/** Brings a task back for some people. */
export async function deleteSnoozes(tx: Tx, id: string, people: readonly string[]): Promise<void> {
  await tx.query
    .deleteFrom("task_snoozes")
    .where("task_id", "=", id)
    .where("home", "=", homeOf(id))
    .where("user_id", "in", people)
    .execute();
}
