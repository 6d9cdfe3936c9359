import type { Actor } from "./decide.ts";
import type { AuditEntry, Task } from "./store.ts";

/** What of a task its audit entries are made of. */
type Recorded = Pick<Task, "id" | "status" | "audit_seq" | "updated_at">;

/** An audit entry of the service itself that belongs to no transition. @param clock - epoch milliseconds */
export function entryBeside(
  task: Recorded,
  entry: Pick<AuditEntry, "action" | "channel" | "extra">,
  clock: number,
): AuditEntry {
  return {
    task_id: task.id,
    seq: task.audit_seq,
    from_status: task.status,
    to_status: task.status,
    actor_type: "system",
    actor_email: null,
    verifier_reason: null,
    embed_sub: null,
    created_at: Math.max(clock, task.updated_at),
    ...entry,
  };
}

/** The one audit entry that stays of a deleted task. @param clock - epoch milliseconds */
export function deletionEntry(task: Recorded, actor: Actor, clock: number): AuditEntry {
  return {
    ...entryBeside(task, { action: "deleted", channel: null, extra: null }, clock),
    to_status: null,
    actor_type: actor.type,
    actor_email: actor.email,
  };
}
