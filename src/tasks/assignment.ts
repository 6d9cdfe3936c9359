import type { Tx } from "../db/database.ts";
import { scheduleRefresh } from "../deliveries/live-messages.ts";
import { emailKey } from "../lib/text.ts";
import { findUser } from "../people/store.ts";
import { inboxHint } from "./candidates.ts";
import { actorColumns, type Actor } from "./decide.ts";
import type { Assignment } from "./lifecycle.ts";
import type { Notice, Notifier } from "./notices.ts";
import { isNamedBy, type Destination } from "./notify.ts";
import { deleteSnoozes } from "./snooze-store.ts";
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
  if (after.assigned_to_user_id !== null && after.assigned_to_user_id !== task.assigned_to_user_id)
    await deleteSnoozes(tx, task.id, [after.assigned_to_user_id]);
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

export function isSamePerson(before: Assignment, after: Assignment): boolean {
  if (before.assigned_to_user_id !== null || after.assigned_to_user_id !== null)
    return before.assigned_to_user_id === after.assigned_to_user_id;
  return emailKey(before.assigned_to_email ?? "") === emailKey(after.assigned_to_email ?? "");
}

/**
 * Notifies the assignee of a task, if there is one.
 * @param notify - how the task reaches people
 * @param told - destinations that got the same notice; an assignee who is among them is not told twice
 */
export async function notifyAssignee(
  tx: Tx,
  notifier: Pick<Notifier, "enqueueFor" | "inBrowsers">,
  notice: Notice,
  { assigned_to_user_id: id, assigned_to_email }: Assignment,
  notify: readonly Destination[],
  told: readonly Destination[] = [],
): Promise<void> {
  if (id === null && assigned_to_email === null) return;
  const user = id === null ? null : await findUser(tx, id);
  // The address of a user is that of the directory. `assigned_to_email` is as it was spelled.
  const email = user === null ? assigned_to_email : user.email;
  const name = id ?? emailKey(email ?? "");
  const isTold = told.some((to) => (user === null ? emailKey(to.target) === name : isNamedBy(to, user)));
  if (!isTold) await notifier.enqueueFor(tx, notice, { user, email, name }, notify);
  await notifier.inBrowsers.enqueue(tx, notice, [id]);
}
