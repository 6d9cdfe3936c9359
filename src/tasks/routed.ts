import type { TaskRow } from "../db/schema.ts";
import type { JsonObject } from "../lib/json.ts";
import { emailKey } from "../lib/text.ts";
import type { User } from "../people/store.ts";

/** The columns of a task that name the absent person whose delegate got it, and until when that person is away. */
export type DelegationColumns = Pick<TaskRow, "delegated_from_user_id" | "delegated_from_email" | "delegated_until">;

export const NOT_DELEGATED: DelegationColumns = {
  delegated_from_user_id: null,
  delegated_from_email: null,
  delegated_until: null,
};

/** Returns the columns of a task that its routing sets. */
export function assignmentIn({
  assigned_to_user_id,
  assigned_to_email,
  delegated_from_user_id,
  delegated_from_email,
  delegated_until,
}: Routed): Pick<Routed, "assigned_to_user_id" | "assigned_to_email" | keyof DelegationColumns> {
  return { assigned_to_user_id, assigned_to_email, delegated_from_user_id, delegated_from_email, delegated_until };
}

/** The absent person that a task is for, and the delegate through whose own absence it got to the assignee. */
export interface Delegation {
  from: User;
  through: User | null;
}

/** The routing of a new task, and its entry in the audit trail. */
export interface Routed extends DelegationColumns {
  assigned_to_user_id: string | null;
  assigned_to_email: string | null;
  /** The people it is offered to: user ids, or addresses that are not in the directory. */
  candidates: string[];
  /** null if the request names no one. */
  decision: { action: "assigned" | "offered" | "routing_unmatched"; extra: JsonObject | null } | null;
  /** The chosen member of a group, so that the next task goes to another member. */
  chosen: User | null;
  /** The assignee, if they stand in for another person. They are told, as people are who get a task later. */
  delegate: User | null;
}

export const NOBODY: Routed = {
  assigned_to_user_id: null,
  assigned_to_email: null,
  candidates: [],
  decision: null,
  chosen: null,
  delegate: null,
  ...NOT_DELEGATED,
};

export function assigned(user: User | null, email: string | null, by: string): Routed {
  const to = { assigned_to_user_id: user?.id ?? null, assigned_to_email: email ?? user?.email ?? null };
  return { ...NOBODY, ...to, decision: { action: "assigned", extra: { by, ...to } } };
}

/**
 * @param email - how the request spells the address of the absent person; null if it does not
 */
export function delegated(to: User, { from, through }: Delegation, email: string | null, by: string): Routed {
  const routed = assigned(to, null, by);
  const delegated_from = { user_id: from.id, email: email ?? from.email };
  const extra = {
    ...routed.decision!.extra,
    delegated_from,
    ...(through !== null && { delegated_through: { user_id: through.id, email: through.email } }),
  };
  return {
    ...routed,
    delegate: to,
    delegated_from_user_id: delegated_from.user_id,
    delegated_from_email: delegated_from.email,
    delegated_until: from.absent_until,
    decision: { action: "assigned", extra },
  };
}

export function offered(candidates: string[]): Routed {
  if (candidates.length === 0) return unmatched();
  return { ...NOBODY, candidates, decision: { action: "offered", extra: { candidates } } };
}

/** Returns an offer to the people that were found, also if it is a single one. */
export function asOffer(routed: Routed): Routed {
  const { assigned_to_user_id: id, assigned_to_email: email } = routed;
  if (id !== null) return offered([id]);
  return email === null ? routed : offered([emailKey(email)]);
}

export function unmatched(): Routed {
  return { ...NOBODY, decision: { action: "routing_unmatched", extra: null } };
}
