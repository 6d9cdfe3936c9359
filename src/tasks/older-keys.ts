/**
 * Idempotency keys of tasks from releases without homes. On Citus, such a task is not at the home of its key, where a second
 * one would be noticed. `service spread` writes these keys into a table of their own, on the coordinator. None is added later.
 */
import { sql } from "kysely";
import type { Reader } from "../db/database.ts";
import { located } from "../db/home.ts";
import type { KeyOfAsker } from "./store.ts";

/** Returns the id of the older task that has this key; null if there is none, or it was deleted. */
export async function findOlderTask(
  { query }: Pick<Reader, "query">,
  { idempotency_key, asked_by_id }: KeyOfAsker,
): Promise<string | null> {
  const { rows } = await sql<{ task_id: string }>`select task_id from older_keys
    where idempotency_key = ${idempotency_key} and asked_by_id = ${asked_by_id}`.execute(query);
  const [older] = rows;
  if (older === undefined) return null;
  const { id, home } = located(older.task_id);
  const task = await query
    .selectFrom("tasks")
    .select("id")
    .where("id", "=", id)
    .where("home", "=", home)
    .executeTakeFirst();
  return task?.id ?? null;
}

/** Tells for a new task whether an older one has its key. */
export interface OlderKeys {
  has(key: KeyOfAsker): Promise<boolean>;
}

/** @returns null where the home of every task follows from its key, or keys are unique over all homes */
export function createOlderKeys(db: Reader): OlderKeys | null {
  if (db.dialect !== "citus") return null;
  let isEmpty = false;
  return {
    has: async (key) => {
      if (isEmpty) return false;
      const { rows } = await sql`select from older_keys limit 1`.execute(db.query);
      isEmpty = rows.length === 0;
      return !isEmpty && (await findOlderTask(db, key)) !== null;
    },
  };
}
