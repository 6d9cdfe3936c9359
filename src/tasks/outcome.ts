import { toApprovals } from "../approvals/record.ts";
import type { RecordedVote } from "../approvals/store.ts";
import { joinJson, type JsonText } from "../lib/json.ts";
import { isoTime } from "../lib/time.ts";
import { askedFields, type AskedTask } from "./asker.ts";
import { decidedBy, type DecidedTask } from "./decided-by.ts";
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
  | "ended_at"
  | "cancelled_by"
  | "cancel_reason"
  | "verification_attempt"
  | "approvals"
> &
  AskedTask &
  DecidedTask;

/** When a task was cancelled, epoch milliseconds; null where it was not. */
export function cancelledAt({ status, ended_at }: Pick<Task, "status" | "ended_at">): number | null {
  return status === "cancelled" ? ended_at : null;
}

/**
 * The body of the callback of a task that has ended, to the byte as it will be signed and sent. (spec: Events, Body fields)
 * @param votes - what people decided, if several had to approve
 */
export function outcomeOf(task: Ended, response: JsonText | null, votes: readonly RecordedVote[] = []): JsonText {
  const { id: task_id, idempotency_key, status } = task;
  return joinJson({ task_id, idempotency_key, status }, { response }, endingOf(task, votes));
}

/** Returns how a task has ended, besides its answer. */
export function endingOf(task: Ended, votes: readonly RecordedVote[]) {
  const { completed_by_email, completed_via_channel, verification_attempt } = task;
  return {
    completed_at: isoTime(task.completed_at),
    timed_out_at: isoTime(task.timed_out_at),
    completed_by_email,
    completed_via_channel,
    verification_attempt,
    cancelled_at: isoTime(cancelledAt(task)),
    cancelled_by: task.cancelled_by,
    cancel_reason: task.cancel_reason,
    ...askedFields(task),
    decided_by: decidedBy(task),
    // Left out otherwise: the body of other tasks stays as it was.
    ...(task.approvals !== null && { approvals: toApprovals(task, votes, null) }),
  };
}
