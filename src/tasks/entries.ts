import { actorColumns, SYSTEM, type Actor } from "./decide.ts";
import type { AuditEntry, Task } from "./store.ts";

/** The fields of a task that its audit entries need. */
type Recorded = Pick<Task, "id" | "status" | "audit_seq" | "updated_at">;

/** Returns an audit entry of the service without a transition. @param clock - epoch milliseconds */
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
    ...actorColumns(SYSTEM),
    verifier_reason: null,
    embed_sub: null,
    created_at: Math.max(clock, task.updated_at),
    ...entry,
  };
}

/** Returns the only audit entry that remains of a deleted task. @param clock - epoch milliseconds */
export function deletionEntry(task: Recorded, actor: Actor, clock: number): AuditEntry {
  return {
    ...entryBeside(task, { action: "deleted", channel: null, extra: null }, clock),
    to_status: null,
    ...actorColumns(actor),
  };
}
