import { enqueueDelivery } from "../deliveries/store.ts";
import type { Tx } from "../db/database.ts";
import { originOf } from "../lib/outbound-url.ts";
import { addAuditEntry, addResponse, addVerificationAttempt, lockTask, saveChange, type Task } from "./store.ts";
import { isTerminal, transition, type TaskEvent } from "./lifecycle.ts";
import { outcomeOf } from "./outcome.ts";

/** Who makes something happen, for the audit trail. */
export interface Actor {
  type: "system" | "human" | "agent";
  email: string | null;
}

/**
 * Every change of a task's status goes through here: the row, its audit entry, the answer, and all that is then owed
 * commit together, and whoever waits is told after that. (spec: States and transitions)
 *
 * @throws ServiceError TASK_NOT_FOUND, and what `transition` throws
 */
export async function move(tx: Tx, id: string, event: TaskEvent, actor: Actor): Promise<Task> {
  const before = await lockTask(tx, id);
  // The clock is read under the lock, and never shows this task going back in time.
  const now = Math.max(tx.now(), before.updated_at);
  const change = transition(before, event, now);
  const response = event.type === "accepted" ? JSON.stringify(event.response) : null;
  const after: Task = {
    ...before,
    ...change.set,
    status: change.status,
    updated_at: now,
    audit_seq: before.audit_seq + 1,
    listed_length: before.listed_length + (response?.length ?? 0),
    ended_at: isTerminal(change.status) ? now : null,
  };
  await saveChange(tx, after);

  if (response !== null) await addResponse(tx, id, response);
  if (event.type === "refused") await addVerificationAttempt(tx, after, event);
  await addAuditEntry(tx, {
    task_id: id,
    seq: before.audit_seq,
    action: change.audit,
    from_status: before.status,
    to_status: after.status,
    actor_type: actor.type,
    actor_email: actor.email,
    channel: "by" in event ? event.by.channel : null,
    embed_sub: "by" in event ? event.by.embed_sub : null,
    verifier_reason: event.type === "refused" ? event.reason : null,
    extra: before.redact_payload ? null : extraOf(event),
    created_at: now,
  });
  if (isTerminal(after.status) && after.callback_url !== null) {
    const body = outcomeOf(after, event.type === "accepted" ? event.response : null);
    await enqueueDelivery(tx, {
      kind: "callback",
      task_id: id,
      destination: after.callback_url,
      origin: originOf(after.callback_url),
      body,
      due_at: now,
    });
  }
  tx.hint(`task:${id}`);
  return after;
}

/** The keys of an answer, never its values: the trail is read by people who may not read the answer. */
function extraOf(event: TaskEvent): object | null {
  switch (event.type) {
    case "accepted":
    case "refused":
      return { response_keys: Object.keys(event.response) };
    case "cancelled":
      return event.reason === null ? null : { reason: event.reason };
    case "timed_out":
      return null;
  }
}
