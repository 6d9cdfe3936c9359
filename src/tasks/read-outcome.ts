import type { Reader } from "../db/database.ts";
import type { ReadOutcome } from "../resume/delivery.ts";
import { outcomeOf } from "./outcome.ts";
import { findTaskWithDocuments } from "./store.ts";

/** Returns how a task ended, as its callback says it; null if it was deleted. A task that has ended does not change. */
export async function readOutcome(reader: Reader, task_id: string): Promise<ReadOutcome | "open" | null> {
  const task = await findTaskWithDocuments(reader, task_id);
  if (task === null) return null;
  if (task.ended_at === null) return "open";
  return { outcome: outcomeOf(task, task.response, task.votes), response: task.response };
}
