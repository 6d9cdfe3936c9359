import { RE2Set } from "re2js";
import { spend } from "./budget.ts";
import type { PatternMatcher } from "./run.ts";
import { translatePattern } from "./translate-pattern.ts";
import type { LinearPattern, Translation } from "./translate-pattern.ts";

/**
 * Matches untrusted patterns. RE2 matches in linear time, and its cost is charged to the budget in advance. Other
 * patterns stay undecided (`undefined`) for a host that can kill a slow match.
 *
 * Compiled patterns are kept in two generations, which limits their number and their memory.
 */

/** How many patterns one generation keeps. */
const GENERATION = 128;
/** When the automaton of one pattern reaches this size in bytes, it starts again empty. */
const MAX_AUTOMATON_BYTES = 1 << 18;
/** A match that could cost more steps is left to the host. */
export const MAX_MATCH_STEPS = 150_000;

interface Pattern {
  /** null if RE2 cannot match it. */
  readonly translation: Translation | null;
  /** The cost of translating and compiling it, in steps. */
  readonly steps: number;
  /** undefined until it is compiled; null if RE2 cannot match it. */
  plan: Plan | null | undefined;
}

interface Plan {
  readonly main: Compiled;
  readonly guards: readonly (Compiled & { readonly negated: boolean })[];
}

interface Compiled extends LinearPattern {
  readonly set: RE2Set;
}

let young = new Map<string, Pattern>();
let old = new Map<string, Pattern>();

function patternOf(source: string): Pattern {
  const known = young.get(source);
  if (known !== undefined) return known;
  const pattern = old.get(source) ?? makePattern(source);
  if (young.size >= GENERATION) {
    old = young;
    young = new Map();
  }
  young.set(source, pattern);
  return pattern;
}

function makePattern(source: string): Pattern {
  const translation = translatePattern(source);
  let steps = 100 + source.length * 4;
  if (translation === null) return { translation, steps, plan: null };
  for (const part of [translation, ...translation.guards]) steps += compileSteps(part);
  return { translation, steps, plan: undefined };
}

/**
 * Returns the matcher for one validation. Each validation pays once for compiling a pattern, even if the pattern was
 * kept from an earlier one, so that a verdict does not depend on earlier calls.
 */
export function linearMatcher(): PatternMatcher {
  // Keeps the patterns of this validation, even if the generations drop them.
  const met = new Map<string, Pattern>();
  return (budget, source, text) => {
    let pattern = met.get(source);
    if (pattern === undefined) {
      pattern = patternOf(source);
      spend(budget, pattern.steps);
      met.set(source, pattern);
    }
    if (pattern.plan === undefined) pattern.plan = pattern.translation === null ? null : compile(pattern.translation);
    const { plan } = pattern;
    if (plan === null) return undefined;
    let steps = 8 + matchSteps(plan.main, text.length);
    for (const guard of plan.guards) steps += matchSteps(guard, text.length);
    if (steps > MAX_MATCH_STEPS) return undefined;
    spend(budget, steps);
    for (const guard of plan.guards) if (matches(guard, text) === guard.negated) return false;
    return matches(plan.main, text);
  };
}

function compile({ guards, ...main }: Translation): Plan | null {
  try {
    return {
      main: { ...main, set: compileSet(main) },
      guards: guards.map((guard) => Object.assign(guard, { set: compileSet(guard) })),
    };
  } catch {
    // RE2 lacks something that the translation assumed, such as the table of a script. Then the host matches the
    // pattern.
    return null;
  }
}

function compileSet(pattern: LinearPattern): RE2Set {
  const set = new RE2Set(pattern.anchored ? RE2Set.ANCHOR_START : RE2Set.UNANCHORED, 0, MAX_AUTOMATON_BYTES);
  set.add(pattern.source);
  set.compile();
  return set;
}

function matches(pattern: Compiled, text: string): boolean {
  return pattern.set.match(text).length > 0;
}

/**
 * Returns the cost of compiling. RE2 takes about 80 microseconds for the smallest pattern, and three times that before
 * the code is warm.
 */
function compileSteps(pattern: LinearPattern): number {
  return 2_500 + pattern.weight * 10;
}

/**
 * Returns the cost of a match. A new state of the automaton costs its size, and a known state costs almost nothing.
 * Small patterns have few states.
 */
function matchSteps(pattern: LinearPattern, length: number): number {
  const states = Math.min(length + 1, 2 ** Math.min(pattern.size, 20));
  return length + states * (pattern.size + (pattern.ranges >>> 3));
}
