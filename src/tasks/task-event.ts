import type { RecordedVote } from "../approvals/store.ts";
import { toCommentRecord } from "../conversation/record.ts";
import type { Comment } from "../conversation/store.ts";
import { joinJson, type JsonText } from "../lib/json.ts";
import { isoTime } from "../lib/time.ts";
import type { Happened } from "../subscriptions/known.ts";
import type { EventType } from "../subscriptions/schema.ts";
import type { Decision } from "./decide.ts";
import type { Revision } from "./lifecycle.ts";
import type { NewTask } from "./new-task-store.ts";
import { endingOf } from "./outcome.ts";
import type { Task } from "./store.ts";

// What is redacted stays out: events go to receivers that the asker does not choose.

/** Returns what others hear of a new task. (beyond the spec: Resuming) */
export function createdEvent({ task, documents }: Pick<NewTask, "task" | "documents">): Happened {
  const redact_payload = task.redact_payload === 1;
  const payload = redact_payload ? null : documents.payload;
  return happened("task.created", task, task.created_at, () =>
    joinJson(firstFields({ ...task, redact_payload }), { payload }, { timeout_at: isoTime(task.timeout_at) }),
  );
}

/** Returns what others hear of a claim. @param task - after it */
export function claimedEvent(task: Task): Happened {
  const { claimed_by_email } = task;
  return happened("task.claimed", task, task.updated_at, () =>
    JSON.stringify({ ...firstFields(task), claimed_by_email }),
  );
}

/** Returns what others hear of a comment. @param task - after it */
export function commentedEvent(task: Task, comment: Comment): Happened {
  const { text, files, ...record } = toCommentRecord(comment);
  return happened("task.commented", task, comment.created_at, () =>
    JSON.stringify({
      ...firstFields(task),
      waiting_on: task.waiting_on,
      comment: { ...record, text: task.redact_payload ? null : text, files: task.redact_payload ? [] : files },
    }),
  );
}

/** Returns what others hear of a change of a task; null: nothing. @param votes - what people decided, if several had to approve */
export function movedEvent(
  { after, event, response, audit }: Decision,
  votes: readonly RecordedVote[],
): Happened | null {
  if (event.type === "revised") return revisedEvent(after, event.revision);
  const isRefused = event.type === "refused";
  if (after.status === "created" || (!isRefused && after.ended_at === null)) return null;
  const isRedacted = after.redact_payload;
  const refused = isRefused ? { rejected_reason: isRedacted ? null : audit.verifier_reason } : {};
  const first = { ...firstFields(after), ...refused };
  return happened(`task.${after.status}`, after, after.updated_at, () =>
    after.ended_at === null
      ? JSON.stringify(first)
      : joinJson(first, { response: isRedacted ? null : response }, endingOf(after, votes)),
  );
}

function revisedEvent(task: Task, { comment }: Revision): Happened {
  const note = task.redact_payload ? null : comment.text;
  return happened("task.revised", task, task.updated_at, () =>
    JSON.stringify({ ...firstFields(task), version: task.version, note }),
  );
}

interface Named extends Pick<Task, "id" | "project" | "idempotency_key" | "task" | "redact_payload"> {
  status: string;
}

function firstFields({ id: task_id, project, idempotency_key, status, task, redact_payload }: Named) {
  return { task_id, project, idempotency_key, status, task: redact_payload ? null : task };
}

function happened(
  type: EventType,
  { id: task_id, project }: Pick<Task, "id" | "project">,
  at: number,
  data: () => JsonText,
): Happened {
  const body = () => `{"type":"${type}","timestamp":"${isoTime(at)}","data":${data()}}`;
  return { type, task_id, project, at, body };
}
