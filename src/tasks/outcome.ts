import { joinJson, type JsonText } from "../lib/json.ts";
import { isoTime } from "../lib/time.ts";
import type { Task } from "./store.ts";

type Ended = Pick<
  Task,
  | "id"
  | "idempotency_key"
  | "status"
  | "completed_at"
  | "timed_out_at"
  | "completed_by_email"
  | "completed_via_channel"
  | "verification_attempt"
>;

/** The body of the callback of a task that has ended, to the byte as it will be signed and sent. (spec: Events, Body fields) */
export function outcomeOf(task: Ended, response: JsonText | null): JsonText {
  const {
    id: task_id,
    idempotency_key,
    status,
    completed_by_email,
    completed_via_channel,
    verification_attempt,
  } = task;
  const rest = {
    completed_at: isoTime(task.completed_at),
    timed_out_at: isoTime(task.timed_out_at),
    completed_by_email,
    completed_via_channel,
    verification_attempt,
  };
  return joinJson({ task_id, idempotency_key, status }, { response }, rest);
}
