import type { TaskRow } from "../db/schema.ts";
import type { JsonObject } from "../lib/json.ts";
import type { User } from "../people/store.ts";

/** The columns of a task that name the absent person whose delegate got it, and until when that person is away. */
export type DelegationColumns = Pick<TaskRow, "delegated_from_user_id" | "delegated_from_email" | "delegated_until">;

export const NOT_DELEGATED: DelegationColumns = {
  delegated_from_user_id: null,
  delegated_from_email: null,
  delegated_until: null,
};

/** The routing of a new task, and its entry in the audit trail. */
export interface Routed {
  assigned_to_user_id: string | null;
  assigned_to_email: string | null;
  /** The people it is offered to: user ids, or addresses that are not in the directory. */
  candidates: string[];
  /** null if the request names no one. */
  decision: { action: "assigned" | "offered" | "routing_unmatched"; extra: JsonObject | null } | null;
  /** The chosen member of a group, so that the next task goes to another member. */
  chosen: User | null;
}

export const NOBODY: Routed = {
  assigned_to_user_id: null,
  assigned_to_email: null,
  candidates: [],
  decision: null,
  chosen: null,
};

export function assigned(user: User | null, email: string | null, by: string): Routed {
  const to = { assigned_to_user_id: user?.id ?? null, assigned_to_email: email ?? user?.email ?? null };
  return { ...NOBODY, ...to, decision: { action: "assigned", extra: { by, ...to } } };
}

export function offered(candidates: string[]): Routed {
  if (candidates.length === 0) return unmatched();
  return { ...NOBODY, candidates, decision: { action: "offered", extra: { candidates } } };
}

export function unmatched(): Routed {
  return { ...NOBODY, decision: { action: "routing_unmatched", extra: null } };
}
