import { RE2Set } from "re2js";
import { spend } from "./budget.ts";
import type { Budget } from "./budget.ts";
import { translatePattern } from "./translate-pattern.ts";
import type { LinearPattern } from "./translate-pattern.ts";

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
const MAX_MATCH_STEPS = 150_000;

interface Pattern {
  /** Why it is no valid pattern, or null. */
  readonly problem: string | null;
  /** undefined: not translated yet. null: not for RE2. */
  plan:
    | { readonly main: Compiled; readonly guards: readonly (Compiled & { readonly negated: boolean })[] }
    | null
    | undefined;
}

interface Compiled extends LinearPattern {
  set: RE2Set | null;
}

let young = new Map<string, Pattern>();
let old = new Map<string, Pattern>();

function patternOf(source: string): Pattern {
  const known = young.get(source);
  if (known !== undefined) return known;
  const pattern = old.get(source) ?? { problem: problemOf(source), plan: undefined };
  if (young.size >= GENERATION) {
    old = young;
    young = new Map();
  }
  young.set(source, pattern);
  return pattern;
}

/** What is wrong with an ECMA-262 pattern (flag `u`), in the words of the engine; null when it is valid. */
export function patternProblem(source: string): string | null {
  return patternOf(source).problem;
}

function problemOf(source: string): string | null {
  try {
    void new RegExp(withSmallSets(source), "u");
    return null;
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    return sentence.slice(sentence.lastIndexOf(": ") + 2);
  }
}

/**
 * The same pattern with every set (`\w`, `\P{Letter}`) replaced by the smallest, `\d`: as valid as it was, but thousands of
 * large sets take the engine tens of milliseconds to parse. Properties are looked up on their own, each once.
 * @throws SyntaxError when a property does not exist
 */
function withSmallSets(source: string): string {
  let result = "";
  let done = 0;
  for (let at = source.indexOf("\\"); at >= 0; at = source.indexOf("\\", Math.max(at + 2, done))) {
    const char = source[at + 1] ?? "";
    let end = at + 2;
    if ((char === "p" || char === "P") && source[end] === "{") {
      end = source.indexOf("}", end) + 1;
      if (end === 0) break;
      checkProperty(source.slice(at + 3, end - 1));
    } else if (!/[DwWsS]/.test(char)) continue;
    result += `${source.slice(done, at)}\\d`;
    done = end;
  }
  return done === 0 ? source : result + source.slice(done);
}

const knownProperties = new Set<string>();

/** @throws SyntaxError */
function checkProperty(name: string): void {
  if (knownProperties.has(name)) return;
  void new RegExp(`\\p{${name}}`, "u");
  knownProperties.add(name);
}

/** Distinct Unicode properties that a pattern names: each is costly to look up. */
export function countProperties(source: string): number {
  return source.includes("\\p") || source.includes("\\P") ? new Set(source.match(/\\[pP]\{[^{}]*\}/g)).size : 0;
}

/** The patterns that one run has met and paid for. It holds on to them, whatever the generations do meanwhile. */
export type PatternsOfRun = Map<string, Pattern>;

/**
 * Does `text` contain a match of the pattern? undefined: cannot be said here in linear time and within bounds.
 * Compiling is charged once a run, whether or not it was kept from an earlier one, so that the answer does not depend on
 * what came before.
 * @throws Refusal too_expensive
 */
export function testPattern(budget: Budget, run: PatternsOfRun, source: string, text: string): boolean | undefined {
  let pattern = run.get(source);
  if (pattern === undefined) {
    spend(budget, 100 + source.length * 4);
    pattern = patternOf(source);
    if (pattern.plan === undefined) pattern.plan = planOf(source);
    if (pattern.plan !== null) {
      spend(budget, compileSteps(pattern.plan.main));
      for (const guard of pattern.plan.guards) spend(budget, compileSteps(guard));
    }
    run.set(source, pattern);
  }
  const { plan } = pattern;
  if (plan === null || plan === undefined) return undefined;
  let steps = 8 + matchSteps(plan.main, text.length);
  for (const guard of plan.guards) steps += matchSteps(guard, text.length);
  if (steps > MAX_MATCH_STEPS) return undefined;
  spend(budget, steps);
  try {
    for (const guard of plan.guards) if (matches(guard, text) === guard.negated) return false;
    return matches(plan.main, text);
  } catch {
    // RE2 knows less than the translation thought (a script it has no table for): from now on the host answers.
    pattern.plan = null;
    return undefined;
  }
}

function planOf(source: string): NonNullable<Pattern["plan"]> | null {
  const translation = translatePattern(source);
  if (translation === null) return null;
  const { guards, ...main } = translation;
  return { main: { ...main, set: null }, guards: guards.map((guard) => Object.assign(guard, { set: null })) };
}

function matches(pattern: Compiled, text: string): boolean {
  if (pattern.set === null) {
    const anchor = pattern.anchored ? RE2Set.ANCHOR_START : RE2Set.UNANCHORED;
    pattern.set = new RE2Set(anchor, 0, MAX_AUTOMATON_BYTES);
    pattern.set.add(pattern.source);
    pattern.set.compile();
  }
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
