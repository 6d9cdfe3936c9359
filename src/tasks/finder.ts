import type { Db } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { createBatcher } from "../lib/batch.ts";
import {
  findTasksWithDocuments,
  findTaskWithDocuments,
  getTaskWithDocuments,
  type TaskWithDocuments,
} from "./store.ts";

/**
 * Reads a task with its documents, as it is after the call began.
 * @throws ServiceError TASK_NOT_FOUND
 */
export type TaskFinder = (id: string) => Promise<TaskWithDocuments>;

/** Maximum size of a group, and number of groups in flight. */
const GROUPS = { items: 64, under_way: 4 };

/** Reads the tasks of the same event-loop turn with one statement on PostgreSQL, where each statement is a round trip. */
export function createTaskFinder(db: Db): TaskFinder {
  if (db.dialect !== "postgres") return async (id) => getTaskWithDocuments(db, id);
  const batcher = createBatcher<string, TaskWithDocuments | null>(
    GROUPS,
    async (ids) => {
      if (ids.length === 1) return [await findTaskWithDocuments(db, ids[0]!)];
      const found = await findTasksWithDocuments(db, [...new Set(ids)]);
      // Callers may change what they get.
      return ids.map((id) => copyOf(found.get(id)));
    },
    () => true,
  );
  return async (id) => {
    const task = await batcher.add(id);
    if (task === null) throw new ServiceError("TASK_NOT_FOUND");
    return task;
  };
}

function copyOf(task: TaskWithDocuments | undefined): TaskWithDocuments | null {
  return task === undefined ? null : { ...task };
}
