import { canReach } from "../approvals/count.ts";
import { votersAmong, type AskedTask } from "../approvals/eligible.ts";
import type { Policy } from "../approvals/policy.ts";
import type { Tx } from "../db/database.ts";
import { isAway } from "../people/absence/absence.ts";
import { isActiveIn } from "../people/caller.ts";
import { findUser, type User } from "../people/store.ts";
import type { Notifier } from "./notices.ts";
import type { Destination } from "./notify.ts";
import type { Delegation, Routed } from "./routed.ts";
import type { Task } from "./store.ts";

/*
 * What absences change about who gets a task. Someone who is away has a delegate, or not. A task that is meant for them goes to
 * the delegate; choices among several people pass over them.
 */

/** The task that is routed: who asks for it, and who must approve it; null if one person decides. */
export interface RoutedTask {
  task: AskedTask;
  policy: Policy | null;
}

/** A delegate, in place of the person that a task is meant for. */
export interface StandIn extends Delegation {
  to: User;
}

/**
 * Returns who gets a task that is meant for a person: the delegate if the person is away, or the delegate's delegate if that one
 * is away too; further delegates are not asked. null: the person themselves gets it. Someone who could not decide about the
 * task is no delegate for it: they are inactive, not in its project, or their approval would not count.
 */
export async function findStandIn(tx: Tx, routed: RoutedTask, user: User): Promise<StandIn | null> {
  const delegate = await findDelegate(tx, routed, user);
  if (delegate === null) return null;
  const second = await findDelegate(tx, routed, delegate);
  return { to: second ?? delegate, from: user, through: second && delegate };
}

async function findDelegate(tx: Tx, { task, policy }: RoutedTask, user: User): Promise<User | null> {
  if (user.delegate_user_id === null || !isAway(user, tx.now())) return null;
  const delegate = await findUser(tx, user.delegate_user_id);
  if (delegate === null || !isActiveIn(delegate, task.project)) return null;
  if (policy !== null && (await votersAmong(tx, task, policy, [delegate.id])).length === 0) return null;
  return delegate;
}

/** Notifies a delegate that they got a task. People whom `notify` names are notified as it says. */
export async function notifyDelegate(
  tx: Tx,
  notifier: Pick<Notifier, "enqueueFor" | "inBrowsers">,
  { id, project, updated_at }: Pick<Task, "id" | "project" | "updated_at">,
  { delegate }: Pick<Routed, "delegate">,
  notify: readonly Destination[],
): Promise<void> {
  if (delegate === null) return;
  const notice = { task_id: id, project, purpose: "assigned", at: updated_at } as const;
  await notifier.enqueueFor(tx, notice, { user: delegate, email: delegate.email, name: delegate.id }, notify);
}

/**
 * Leaves out those who are away. Everyone stays if no one would be left, or too few to approve the task.
 * @param people - each with the name of an offer (candidates.ts); `user` is null if the person is not in the directory
 */
export async function passOverAway(
  tx: Tx,
  { task, policy }: RoutedTask,
  people: readonly { name: string; user: User | null }[],
): Promise<string[]> {
  const now = tx.now();
  const all = people.map(({ name }) => name);
  const here = people.filter(({ user }) => user === null || !isAway(user, now)).map(({ name }) => name);
  if (here.length === 0) return all;
  if (policy === null || here.length === all.length) return here;
  return canReach(policy, await votersAmong(tx, task, policy, here)) ? here : all;
}
