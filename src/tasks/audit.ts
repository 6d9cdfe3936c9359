import type { Tx } from "../db/database.ts";
import { addAuditEntry, findTaskForUpdate, setAuditSeq } from "./store.ts";

/** Adds to the trail of a task that its outcome could not be delivered; nothing where the task is gone. */
export async function recordCallbackAbandoned(
  tx: Tx,
  { id: delivery_id, task_id, attempts }: { id: string; task_id: string; attempts: number },
): Promise<void> {
  const task = await findTaskForUpdate(tx, task_id);
  if (task === null) return;
  await setAuditSeq(tx, task_id, task.audit_seq + 1);
  await addAuditEntry(tx, {
    task_id,
    seq: task.audit_seq,
    action: "callback_abandoned",
    from_status: task.status,
    to_status: task.status,
    actor_type: "system",
    actor_email: null,
    channel: null,
    verifier_reason: null,
    embed_sub: null,
    extra: { delivery_id, attempts },
    created_at: Math.max(tx.now(), task.updated_at),
  });
}
