import { isoTime } from "../lib/time.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Task } from "./store.ts";

/** The body of the callback of a task that has ended, to the byte as it will be signed and sent. (spec: Events, Body fields) */
export function outcomeOf(task: Task, response: JsonObject | null): string {
  return JSON.stringify({
    task_id: task.id,
    idempotency_key: task.idempotency_key,
    status: task.status,
    response,
    completed_at: isoTime(task.completed_at),
    timed_out_at: isoTime(task.timed_out_at),
    completed_by_email: task.completed_by_email,
    completed_via_channel: task.completed_via_channel,
    verification_attempt: task.verification_attempt,
  });
}
