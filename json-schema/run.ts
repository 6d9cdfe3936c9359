import { spend } from "./budget.ts";
import type { Budget } from "./budget.ts";
import { makeError } from "./errors.ts";
import type { ErrorParams, ValidationError } from "./errors.ts";
import { makeLocation } from "./location.ts";
import type { Location, Scope, Seen } from "./location.ts";
import type { SchemaNode } from "./schema.ts";

/**
 * Returns whether `text` contains a match of `pattern` (ECMA-262, flag `u`); undefined if only a host can decide.
 * Charges its cost to the budget.
 * @throws Refusal too_expensive
 */
export type PatternMatcher = (budget: Budget, pattern: string, text: string) => boolean | undefined;

/**
 * Returns whether `text` matches `format`. Every text matches an unknown format. Charges its cost to the budget.
 * @throws Refusal too_expensive
 */
export type FormatCheck = (budget: Budget, format: string, text: string) => boolean;

/** The state of one validation. */
export interface Run {
  readonly budget: Budget;
  /** `evaluate` of evaluate.ts. It is a field, because it and the keywords need each other. */
  readonly evaluate: (run: Run, node: SchemaNode, location: Location, seen: Seen | null, errors: Errors) => boolean;
  /** The number of nested nodes that are being evaluated. */
  depth: number;
  /** Whether results are kept by (node, location). True if the schema has references. */
  readonly remembers: boolean;
  readonly tracks: boolean;
  /** null if formats are only annotations. */
  readonly formats: FormatCheck | null;
  readonly maxErrors: number;
  readonly matcher: PatternMatcher;
  readonly answers: ReadonlyMap<string, boolean> | null;
  /** Questions that only a host can answer. If there is one, the result of the run is meaningless. */
  readonly questions: Map<string, { readonly pattern: string; readonly text: string }>;
  /** null if no reference of the schema depends on the way to it. */
  scope: Scope | null;
}

/** Collects errors. null if only the verdict is needed; then the first failure ends the check. */
export type Errors = ValidationError[] | null;

/** Adds an error unless the limit is reached. Always returns false, so that a check can return the result. */
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
  // The cost of hashing and keeping the text.
  spend(run.budget, 10 + ((pattern.length + text.length) >>> 4));
  const key = questionKey(pattern, text);
  const known = run.answers?.get(key);
  if (known !== undefined) return known;
  run.questions.set(key, { pattern, text });
  return true;
}

/** Returns the place below `location`. If results are remembered, it is the same object each time. */
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
