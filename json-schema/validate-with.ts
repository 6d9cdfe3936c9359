import { DEFAULT_STEPS, Refusal } from "./budget.ts";
import type { Budget, RefusalCode } from "./budget.ts";
import type { ValidationError } from "./errors.ts";
import { evaluate } from "./evaluate.ts";
import { makeLocation, makeScope } from "./location.ts";
import type { Location } from "./location.ts";
import type { FormatCheck, PatternMatcher, Run } from "./run.ts";
import type { Schema } from "./schema.ts";

export interface ValidateWithOptions {
  /** Decides whether a text matches a format. If absent, `format` is only an annotation. */
  formats?: FormatCheck | undefined;
  /** The maximum number of reported errors; default 50. */
  max_errors?: number;
  /**
   * The budget of the validation; default `DEFAULT_STEPS`. Afterwards it holds the remaining steps, for measurements.
   */
  budget?: Budget;
  /** The host's answers to the questions of an earlier "pending". */
  answers?: PatternAnswers;
}

/** Asks whether `text` contains a match of `pattern` (ECMA-262, flag `u`). */
export interface PatternQuestion {
  readonly pattern: string;
  readonly text: string;
}

/** By `questionKey`. */
type PatternAnswers = ReadonlyMap<string, boolean>;

export type Verdict =
  | { readonly status: "valid" }
  | { readonly status: "invalid"; readonly errors: readonly ValidationError[] }
  /** No verdict, because checking would take too much work. The codes are stable. */
  | { readonly status: "refused"; readonly code: RefusalCode }
  /** No verdict yet: it depends on these patterns. Ask a host, then call again with its answers. */
  | { readonly status: "pending"; readonly questions: readonly PatternQuestion[] };

const DEFAULT_MAX_ERRORS = 50;

/**
 * Works like `validate`, but with the caller's matcher and formats, and without sentences. A page that must stay small
 * and leaves patterns to the server passes a matcher that always returns undefined. Then verdicts that depend on a
 * pattern are "pending", and its bundle has neither re2js nor the formats.
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

/** Collects the reasons of a verdict that is already certain, as far as the budget allows. */
function collectErrors(run: Run, schema: Schema, root: Location): readonly ValidationError[] {
  const errors: ValidationError[] = [];
  try {
    evaluate(run, schema.root, root, null, errors);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  if (errors.length > 0) return errors;
  // Finding the reasons would take too much work.
  return [{ path: "", keyword: "", params: null, schema_path: "" }];
}
