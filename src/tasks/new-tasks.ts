import { beyondHome } from "../db/beyond-home.ts";
import type { Db } from "../db/database.ts";
import { lowestId, timeOfId } from "../lib/ids.ts";
import { SECOND } from "../lib/time.ts";
import type { Task } from "./store.ts";

/** Maximum number of tasks that are reported one by one. */
export const REPORTED_MAX = 500;
/** Maximum time between creating the id of a task and writing the task. */
const LATE_MS = 5 * SECOND;

export type ListedTask = Pick<Task, "id" | "project" | "assigned_to_user_id" | "assigned_to_email" | "asked_by_id"> & {
  status: string;
};

export function selectListed(db: Db) {
  return db.query
    .selectFrom("tasks")
    .select(["id", "project", "status", "assigned_to_user_id", "assigned_to_email", "asked_by_id"]);
}

/** Finds tasks created since the last call. Their hint has no id. */
export interface NewTasks {
  /** Sets the time from which tasks are new, in epoch milliseconds. */
  startFrom(now: number): void;
  /** Returns each new task once, at most `REPORTED_MAX` + 1. */
  find(): Promise<ListedTask[]>;
}

export function createNewTasks(db: Db): NewTasks {
  /** Ids that `find` returned and may find again. */
  const found = new Set<string>();
  let newest = 0;
  return {
    startFrom: (now) => void (newest = now),
    find: async () => {
      const since = newest - LATE_MS;
      for (const id of found) if (timeOfId(id) < since) found.delete(id);
      const rows = await selectListed(db)
        .where("id", ">=", lowestId("tsk", Math.max(since, 0)))
        .orderBy("id", "desc")
        .limit(REPORTED_MAX + found.size + 1)
        .modifyEnd(beyondHome("new tasks"))
        .execute();
      const fresh = rows.filter(({ id }) => !found.has(id));
      for (const { id } of fresh) found.add(id);
      newest = Math.max(newest, ...rows.slice(0, 1).map(({ id }) => timeOfId(id)));
      return fresh;
    },
  };
}
