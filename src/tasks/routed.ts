import type { JsonObject } from "../lib/json.ts";
import type { User } from "../people/store.ts";

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
