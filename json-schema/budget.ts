/**
 * Work is counted in steps, not in time, so that the same input always gets the same result. One step takes about 20 to
 * 50 nanoseconds. The default budget is spent in about 20 ms at worst (`node bench/schemas.ts` measures it).
 */

export const DEFAULT_STEPS = 400_000;

export type RefusalCode = "too_expensive" | "too_deep" | "schema_loop" | "pattern_too_slow" | "pattern_busy";

/** Ends a validation without a verdict. `validate` catches it, so it never leaves this folder. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  constructor(code: RefusalCode) {
    super(code);
    this.code = code;
  }
}

export interface Budget {
  /** The remaining steps. Below zero, the work is refused. */
  left: number;
}

/** @throws Refusal too_expensive */
export function spend(budget: Budget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw new Refusal("too_expensive");
}
