import { DEFAULT_STEPS, Refusal, refusalOf } from "./budget.ts";
import type { Budget, RefusalCode } from "./budget.ts";
import type { ValidationError } from "./errors.ts";
import { evaluate } from "./evaluate.ts";
import { makeLocation, makeScope } from "./location.ts";
import type { Location } from "./location.ts";
import { linearMatcher } from "./patterns.ts";
import type { PatternMatcher, Run } from "./run.ts";
import type { Schema } from "./schema.ts";

export interface ValidateOptions {
  /** "assert": the formats of formats.ts must hold. "annotate" (default): `format` is only a hint. */
  formats?: "assert" | "annotate";
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
  | { readonly status: "refused"; readonly code: RefusalCode; readonly message: string }
  /** No verdict yet: it hangs on these patterns. Ask a host, then call again with its answers. */
  | { readonly status: "pending"; readonly questions: readonly PatternQuestion[] };

const DEFAULT_MAX_ERRORS = 50;

/**
 * Checks a JSON value. Synchronous, never throws on JSON data, and the same input gets the same verdict every time, at
 * the cost of the budget at most (a quarter more when errors are collected).
 */
export function validate(schema: Schema, instance: unknown, options: ValidateOptions = {}): Verdict {
  return validateWith(linearMatcher(), schema, instance, options);
}

/**
 * `validate` with a matcher of one's own. A page that must stay light and leaves patterns to the server passes one that
 * always answers undefined: what then hangs on a pattern is "pending", and re2js is not in its bundle.
 */
export function validateWith(
  matcher: PatternMatcher,
  schema: Schema,
  instance: unknown,
  options: ValidateOptions = {},
): Verdict {
  const budget = options.budget ?? { left: DEFAULT_STEPS };
  const whole = budget.left;
  const run: Run = {
    budget,
    evaluate,
    depth: 0,
    remembers: schema.hasRefs,
    tracks: schema.tracks,
    assertsFormats: options.formats === "assert",
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
    if (error instanceof Refusal) return refusalOf(error.code);
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
  const message = "Does not fit its schema. Finding out why would take too much work.";
  return [{ path: "", keyword: "", message, schema_path: "" }];
}
