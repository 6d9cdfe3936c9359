import { hash } from "node:crypto";
import { readStatement, writeStatement, type Db, type Reader, type Tx } from "../db/database.ts";
import { located, ofTask, type OfTask } from "../db/home.ts";
import type { DeliveryRow, ResumeGroupTaskRow } from "../db/schema.ts";
import type { Fields, Meaning } from "./kind.ts";

/**
 * Groups: several tasks that one thing waits for. When a task ends, its delivery looks at the others. The delivery that finds
 * that all have ended takes the group, and resumes with all outcomes; the others have nothing to send. The task that ends last
 * always finds it, so no group is forgotten, and one delivery only can take it.
 */
export interface Group {
  /** Names the group among those of all connections. */
  key: string;
  /** How many tasks belong to it. */
  size: number;
}

export function groupKey(connection_id: string, id: string): string {
  return hash("sha256", JSON.stringify([connection_id, id]), "base64url");
}

/** Adds a new task to its group. */
export async function joinGroup(tx: Tx, { key }: Group, task_id: string, address: Fields): Promise<void> {
  const groups = tx.query.insertInto("resume_groups").values({ key, delivery_id: null });
  await groups.onConflict((conflict) => conflict.doNothing()).execute();
  await tx.query
    .insertInto("resume_group_tasks")
    .values({ key, task_id, address: JSON.stringify(address) })
    .execute();
}

const selectTasks = readStatement<{ key: string }, ResumeGroupTaskRow>((query, param) =>
  query.selectFrom("resume_group_tasks").selectAll().where("key", "=", param("key")).orderBy("task_id"),
);

/** Returns the tasks of a group that exist so far, always in the same order. */
export async function tasksOfGroup(reader: Reader, key: string): Promise<ResumeGroupTaskRow[]> {
  return reader.run(selectTasks, { key });
}

const takeFree = writeStatement<{ key: string; delivery_id: string }, { key: string }>((query, param) =>
  query
    .updateTable("resume_groups")
    .set({ delivery_id: param("delivery_id") })
    .where("key", "=", param("key"))
    .where((where) => where.or([where("delivery_id", "is", null), where("delivery_id", "=", param("delivery_id"))]))
    .returning("key"),
);

/** Lets one delivery resume a group. @returns whether it is this one */
export async function takeGroup(db: Db, key: string, delivery_id: string): Promise<boolean> {
  return (await db.writeOne(takeFree, { key, delivery_id })).length > 0;
}

/**
 * Lets any delivery take a group, where none has taken it but that of a task that is deleted. Locks the group.
 * @returns false: another delivery resumes it
 */
export async function freeGroup(tx: Tx, key: string, delivery_id: string): Promise<boolean> {
  const freed = await tx.query
    .updateTable("resume_groups")
    .set({ delivery_id: null })
    .where("key", "=", key)
    .where((where) => where.or([where("delivery_id", "is", null), where("delivery_id", "=", delivery_id)]))
    .returning("key")
    .execute();
  return freed.length > 0;
}

/** Returns where the delivery stands that has taken a group; null: its task was deleted. */
export async function takerOf(
  reader: Reader,
  key: string,
): Promise<Pick<DeliveryRow, "status" | "meaning" | "attempt_count"> | null> {
  const group = await reader.query.selectFrom("resume_groups").selectAll().where("key", "=", key).executeTakeFirst();
  if (group?.delivery_id == null) return null;
  const { id, home } = located(group.delivery_id);
  const select = reader.query.selectFrom("deliveries").select(["status", "meaning", "attempt_count"]);
  return (await select.where("id", "=", id).where("home", "=", home).executeTakeFirst()) ?? null;
}

const setMeaning = writeStatement<OfTask & { kind: string; meaning: string }>((query, param) =>
  query
    .updateTable("deliveries")
    .set({ meaning: param("meaning") })
    .where("task_id", "=", param("task_id"))
    .where("home", "=", param("home"))
    .where("kind", "=", param("kind"))
    .where("meaning", "=", WITH_GROUP),
);

/** The meaning of a delivery that leaves it to another one of its group to resume. */
export const WITH_GROUP = "with_group";

/** Shows on the other tasks of a group what became of it. */
export async function noteMeaning(
  db: Db,
  tasks: readonly Pick<ResumeGroupTaskRow, "task_id">[],
  kind: string,
  meaning: Meaning,
): Promise<void> {
  for (const { task_id } of tasks) await db.writeOne(setMeaning, { ...ofTask(task_id), kind, meaning });
}
