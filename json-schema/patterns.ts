import { RE2Set } from "re2js";
import { spend } from "./budget.ts";
import type { PatternMatcher } from "./run.ts";
import { translatePattern } from "./translate-pattern.ts";
import type { LinearPattern, Translation } from "./translate-pattern.ts";

/**
 * Patterns of strangers. What is asked here and now is answered by RE2 in linear time, its cost charged to the budget
 * before it is spent; everything else is left open (`undefined`) for a host that can kill a slow match.
 *
 * Compiled patterns are kept in two generations, so that they are bounded in number and in memory.
 */

/** Patterns kept in one generation. */
const GENERATION = 128;
/** The automaton of one pattern may grow to this size before it starts afresh, in bytes. */
const MAX_AUTOMATON_BYTES = 1 << 18;
/** A match that could cost more steps than this is left to the host. */
export const MAX_MATCH_STEPS = 150_000;

interface Pattern {
  /** null: not for RE2. */
  readonly translation: Translation | null;
  /** What translating and compiling it costs, in steps. */
  readonly steps: number;
  /** undefined: not compiled yet. null: not for RE2. */
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
 * Answers for one validation. Compiling is charged once in it, whether or not the pattern was kept from an earlier one, so
 * that a verdict does not depend on what came before.
 */
export function linearMatcher(): PatternMatcher {
  // Holds on to the patterns of this run, whatever the generations do meanwhile.
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
    // RE2 knows less than the translation thought (a script it has no table for): then the host answers.
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

/** RE2 takes some 80 microseconds for the smallest pattern, three times that while the code is cold. */
function compileSteps(pattern: LinearPattern): number {
  return 2_500 + pattern.weight * 10;
}

/** A new state of the automaton costs its size, a known one next to nothing; small patterns have few states. */
function matchSteps(pattern: LinearPattern, length: number): number {
  const states = Math.min(length + 1, 2 ** Math.min(pattern.size, 20));
  return length + states * (pattern.size + (pattern.ranges >>> 3));
}
