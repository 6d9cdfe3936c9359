import type { Tx } from "../db/database.ts";
import type { AbandonedDelivery, EndedDelivery } from "../deliveries/kinds.ts";
import { entryBeside } from "./entries.ts";
import type { Purpose } from "./notices.ts";
import { addAuditEntry, findTaskForUpdate, setAuditSeq } from "./store.ts";

/** Records that the callback of a task failed for good. Does nothing if the task is gone. */
export async function recordCallbackAbandoned(tx: Tx, { id, task_id, attempts }: EndedDelivery): Promise<void> {
  await addEntry(tx, task_id, { action: "callback_abandoned", channel: null, extra: { delivery_id: id, attempts } });
}

/** Records that what waits for a task could not be resumed. Does nothing if the task is gone. */
export async function recordResumeFailed(
  tx: Tx,
  { id, task_id, attempts, kind, last_error }: AbandonedDelivery & { kind: string },
): Promise<void> {
  const extra = { delivery_id: id, attempts, kind, error: last_error };
  await addEntry(tx, task_id, { action: "resume_failed", channel: null, extra });
}

/** Delivery status of one notification. */
export interface Notification {
  channel: string;
  /** The address, as `notify` names it. */
  to: string;
  purpose: Purpose;
  /** Absent if nothing was tried. */
  delivery_id?: string;
  attempts?: number;
  /** A stable word, a colon, and a sentence; absent when it was sent. */
  error?: string;
}

/** Records that a notification was sent or failed. Does nothing if the task is gone. */
export async function recordNotification(tx: Tx, task_id: string, notification: Notification): Promise<void> {
  await addEntry(tx, task_id, {
    action: notification.error === undefined ? "notification_sent" : "notification_failed",
    channel: notification.channel,
    extra: notification,
  });
}

/** Adds an entry without a transition. */
async function addEntry(
  tx: Tx,
  task_id: string,
  entry: { action: string; channel: string | null; extra: object },
): Promise<void> {
  const task = await findTaskForUpdate(tx, task_id);
  if (task === null) return;
  await setAuditSeq(tx, task_id, task.audit_seq + 1);
  await addAuditEntry(tx, entryBeside(task, entry, tx.now()));
  tx.hint(`task:${task_id}`);
}
