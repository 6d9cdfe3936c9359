import type { JsonObject } from "../lib/json.ts";
import type { User } from "../people/store.ts";

/** To whom a new task goes, and what the audit trail says about it. */
export interface Routed {
  assigned_to_user_id: string | null;
  assigned_to_email: string | null;
  /** To whom it is offered, each by user id, or by address where the directory does not know it. */
  candidates: string[];
  /** null: nothing was asked for. */
  decision: { action: "assigned" | "offered" | "routing_unmatched"; extra: JsonObject | null } | null;
  /** Who was chosen among several, so that the next choice falls on somebody else. */
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
