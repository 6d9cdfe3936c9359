import { spend } from "./budget.ts";
import type { Budget } from "./budget.ts";
import { makeError } from "./errors.ts";
import type { ErrorParams, ValidationError } from "./errors.ts";
import { makeLocation } from "./location.ts";
import type { Location, Scope, Seen } from "./location.ts";
import type { SchemaNode } from "./schema.ts";

/**
 * Does `text` contain a match of `pattern` (ECMA-262, flag `u`)? undefined: not to be said here. Charges what it costs.
 * @throws Refusal too_expensive
 */
export type PatternMatcher = (budget: Budget, pattern: string, text: string) => boolean | undefined;

/**
 * Is `text` of `format`? Every text is of a format that is not known. Charges what it costs.
 * @throws Refusal too_expensive
 */
export type FormatCheck = (budget: Budget, format: string, text: string) => boolean;

/** One validation on its way. */
export interface Run {
  readonly budget: Budget;
  /** `evaluate` of evaluate.ts. Here, because the keywords need it and it needs them. */
  readonly evaluate: (run: Run, node: SchemaNode, location: Location, seen: Seen | null, errors: Errors) => boolean;
  /** Nodes that are being evaluated inside each other. */
  depth: number;
  /** Results are kept by (node, location): the schema has references. */
  readonly remembers: boolean;
  readonly tracks: boolean;
  /** null: formats are only hints. */
  readonly formats: FormatCheck | null;
  readonly maxErrors: number;
  readonly matcher: PatternMatcher;
  readonly answers: ReadonlyMap<string, boolean> | null;
  /** What only a host can answer. As soon as there is one, the result of the run means nothing. */
  readonly questions: Map<string, { readonly pattern: string; readonly text: string }>;
  /** null: no reference of the schema depends on the way to it. */
  scope: Scope | null;
}

/** Where errors go. null: only yes or no is asked, and the first failure ends it. */
export type Errors = ValidationError[] | null;

/** Notes an error, unless there are enough. Always false, so that a check can return it. */
export function report(
  run: Run,
  errors: Errors,
  node: SchemaNode,
  location: Location,
  keyword: string,
  params: () => ErrorParams | null,
): false {
  if (errors !== null && errors.length < run.maxErrors) errors.push(makeError(node, location, keyword, params()));
  return false;
}

export function questionKey(pattern: string, text: string): string {
  return `${pattern.length}:${pattern}${text}`;
}

/** @throws Refusal too_expensive */
export function matchesPattern(run: Run, pattern: string, text: string): boolean {
  const answer = run.matcher(run.budget, pattern, text);
  if (answer !== undefined) return answer;
  // The text is hashed and kept.
  spend(run.budget, 10 + ((pattern.length + text.length) >>> 4));
  const key = questionKey(pattern, text);
  const known = run.answers?.get(key);
  if (known !== undefined) return known;
  run.questions.set(key, { pattern, text });
  return true;
}

/** The place below `location`. The same one each time, when results are remembered. */
export function childOf(run: Run, location: Location, key: string | number, value: unknown): Location {
  spend(run.budget, run.remembers ? 4 : 2);
  if (!run.remembers) return makeLocation(value, location, key);
  location.children ??= new Map();
  const known = location.children.get(key);
  if (known !== undefined) return known;
  const child = makeLocation(value, location, key);
  location.children.set(key, child);
  return child;
}
