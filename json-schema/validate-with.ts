import { DEFAULT_STEPS, Refusal } from "./budget.ts";
import type { Budget, RefusalCode } from "./budget.ts";
import type { ValidationError } from "./errors.ts";
import { evaluate } from "./evaluate.ts";
import { makeLocation, makeScope } from "./location.ts";
import type { Location } from "./location.ts";
import type { FormatCheck, PatternMatcher, Run } from "./run.ts";
import type { Schema } from "./schema.ts";

export interface ValidateWithOptions {
  /** What says whether a text is of a format; absent, `format` is only a hint. */
  formats?: FormatCheck | undefined;
  /** How many errors are reported at most; default 50. */
  max_errors?: number;
  /** What the validation may cost; default `DEFAULT_STEPS`. Afterwards it holds what is left, for measurements. */
  budget?: Budget;
  /** What a host has found out about the questions of an earlier "pending". */
  answers?: PatternAnswers;
}

/** Does `text` contain a match of `pattern` (ECMA-262, flag `u`)? */
export interface PatternQuestion {
  readonly pattern: string;
  readonly text: string;
}

/** By `questionKey`. */
type PatternAnswers = ReadonlyMap<string, boolean>;

export type Verdict =
  | { readonly status: "valid" }
  | { readonly status: "invalid"; readonly errors: readonly ValidationError[] }
  /** No verdict: checking would take too much. The codes are stable. */
  | { readonly status: "refused"; readonly code: RefusalCode }
  /** No verdict yet: it hangs on these patterns. Ask a host, then call again with its answers. */
  | { readonly status: "pending"; readonly questions: readonly PatternQuestion[] };

const DEFAULT_MAX_ERRORS = 50;

/**
 * `validate` with a matcher and formats of one's own, and with facts instead of sentences. A page that must stay light
 * and leaves patterns to the server passes a matcher that always answers undefined: what then hangs on a pattern is
 * "pending", and neither re2js nor the formats are in its bundle.
 */
export function validateWith(
  matcher: PatternMatcher,
  schema: Schema,
  instance: unknown,
  options: ValidateWithOptions = {},
): Verdict {
  const budget = options.budget ?? { left: DEFAULT_STEPS };
  const whole = budget.left;
  const run: Run = {
    budget,
    evaluate,
    depth: 0,
    remembers: schema.hasRefs,
    tracks: schema.tracks,
    formats: options.formats ?? null,
    maxErrors: Math.max(1, options.max_errors ?? DEFAULT_MAX_ERRORS),
    matcher,
    answers: options.answers ?? null,
    questions: new Map(),
    scope: schema.isDynamic ? makeScope(null, schema.root.resource) : null,
  };
  const root = makeLocation(instance, null, null);
  try {
    const isValid = evaluate(run, schema.root, root, null, null);
    if (run.questions.size > 0) return { status: "pending", questions: [...run.questions.values()] };
    if (isValid) return { status: "valid" };
  } catch (error) {
    if (error instanceof Refusal) return { status: "refused", code: error.code };
    throw error;
  }
  budget.left = whole >>> 2;
  return { status: "invalid", errors: collectErrors(run, schema, root) };
}

/** The verdict stands already; this only says why, as far as the budget goes. */
function collectErrors(run: Run, schema: Schema, root: Location): readonly ValidationError[] {
  const errors: ValidationError[] = [];
  try {
    evaluate(run, schema.root, root, null, errors);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  if (errors.length > 0) return errors;
  // Finding out would take too much work.
  return [{ path: "", keyword: "", params: null, schema_path: "" }];
}
