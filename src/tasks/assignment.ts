import type { Tx } from "../db/database.ts";
import { scheduleRefresh } from "../deliveries/live-messages.ts";
import { inboxHint } from "./candidates.ts";
import { actorColumns, type Actor } from "./decide.ts";
import { addAuditEntry, setRouting, type RoutingColumns, type Task } from "./store.ts";

/** A change of the assignment or the claim of a task. */
export interface Reassignment {
  set: Partial<RoutingColumns>;
  /** null writes no entry. */
  audit: { action: string; extra: object | null } | null;
  actor: Actor;
  /** People whose lists change, as `namesOf` names them. */
  inboxes: readonly string[];
}

/**
 * Writes a reassignment with its audit entry, and publishes hints for changed lists. The caller holds the task's lock.
 * @returns the task after the change
 */
export async function reassign<T extends Task>(
  tx: Tx,
  task: T,
  { set, audit, actor, inboxes }: Reassignment,
): Promise<T> {
  const now = Math.max(tx.now(), task.updated_at);
  const after = { ...task, ...set, audit_seq: task.audit_seq + (audit === null ? 0 : 1), updated_at: now };
  await setRouting(tx, after);
  if (audit !== null)
    await addAuditEntry(tx, {
      task_id: task.id,
      seq: task.audit_seq,
      action: audit.action,
      from_status: task.status,
      to_status: task.status,
      ...actorColumns(actor),
      channel: null,
      verifier_reason: null,
      embed_sub: null,
      extra: audit.extra,
      created_at: now,
    });
  await scheduleRefresh(tx, after);
  tx.hint(`task:${task.id}`);
  for (const person of new Set(inboxes)) tx.hint(inboxHint(person));
  return after;
}
