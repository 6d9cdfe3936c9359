/**
 * Work is counted in steps, not in time, so that the same input always gets the same answer. One step is some 20 to
 * 50 nanoseconds; the default budget is spent in about 20 ms at worst (`node json-schema/bench.ts` measures it).
 */

export const DEFAULT_STEPS = 400_000;

export type RefusalCode = "too_expensive" | "too_deep" | "schema_loop" | "pattern_too_slow" | "pattern_busy";

const SENTENCES: Record<RefusalCode, string> = {
  too_expensive:
    "Checking this value against its schema takes too much work. Simplify the schema (fewer branches, references, patterns or unique items) or send less data.",
  too_deep:
    "The schema and the value nest too deeply to be checked. Reduce the nesting, or the number of references that follow each other.",
  schema_loop:
    "The schema refers back to itself without going deeper into the value, so checking it would never end. Remove that reference.",
  pattern_too_slow:
    "A pattern of the schema takes too long on this text. Rewrite it without look-around, back-references and nested repetition.",
  pattern_busy: "Too many slow patterns are being matched right now. Try again in a moment.",
};

/** Ends a validation without a verdict. Caught by `validate`; never leaves this room. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  constructor(code: RefusalCode) {
    super(SENTENCES[code]);
    this.code = code;
  }
}

/** The verdict that says so. */
export function refusalOf(code: RefusalCode): { status: "refused"; code: RefusalCode; message: string } {
  return { status: "refused", code, message: SENTENCES[code] };
}

export interface Budget {
  /** Steps that are left; below zero the work is refused. */
  left: number;
}

/** @throws Refusal too_expensive */
export function spend(budget: Budget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw new Refusal("too_expensive");
}
