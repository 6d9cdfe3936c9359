import type { NodeBase, Problem } from "./nodes.ts";

/** The meaning of an entry. `blank`: nothing was entered. */
export type Reading = { readonly value: unknown } | { readonly problem: Problem } | "blank";

/** The entry of an untouched control. */
export const NO_ENTRY: readonly string[] = [];

/** Returns the value or the problem of a node. A blank field is left out, null, or a problem, in this order. */
export function outcomeOf(
  base: NodeBase,
  reading: Reading,
  missing: "missing" | "choose" | "tick" = "missing",
): { value: unknown; problem: Problem | null } {
  if (reading !== "blank")
    return "problem" in reading
      ? { value: undefined, problem: reading.problem }
      : { value: reading.value, problem: null };
  if (!base.required) return { value: undefined, problem: null };
  return base.nullable ? { value: null, problem: null } : { value: undefined, problem: { code: missing } };
}
