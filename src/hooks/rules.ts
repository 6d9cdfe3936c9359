import type { PatternHost } from "../../json-schema/pattern-worker-host.ts";
import { parseSchema } from "../../json-schema/parse-schema.ts";
import { translatePattern } from "../../json-schema/translate-pattern.ts";
import { keyOf, token } from "../../form/plan/entries.ts";
import { isSame } from "../../form/plan/same.ts";
import { isPointer } from "../actions/pointers.ts";
import { invalid } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { isStorableText } from "../lib/text.ts";
import { requireSchema } from "../tasks/client-schemas.ts";
import type { HookCall } from "./call.ts";
import type { RuleDecision, RuleRequest } from "./schema.ts";

/** What an argument must be. All that is given must hold. */
export interface Condition {
  equals?: unknown;
  one_of?: unknown[];
  /** `*` stands for any characters. */
  glob?: string;
  /** A regular expression that RE2 can match, found anywhere in the text. */
  matches?: string;
  over?: number;
  under?: number;
}

export interface Rule {
  /** A glob. */
  tool: string;
  /** By JSON Pointer. */
  arguments: Record<string, Condition>;
  decision: RuleDecision;
  /** It is noted, and decides nothing. */
  simulate: boolean;
}

/** Until an operator stores rules, every call asks. */
export const FIRST_RULES: readonly Rule[] = [{ tool: "*", arguments: {}, decision: "ask", simulate: false }];

const CONDITIONS_MAX = 20;
const ONE_OF_MAX = 100;
const TEXT_CHARACTERS_MAX = 1000;
/** All rules of a project as JSON. They are read for every call. */
const RULES_CHARACTERS_MAX = 100_000;

/**
 * Returns the rules of a request. A part that is not known is refused, because a rule with a mistyped condition would decide
 * about too many calls.
 * @throws ServiceError VALIDATION_FAILED
 */
export function checkedRules(given: readonly RuleRequest[]): Rule[] {
  const rules = given.map((rule, i) => checkedRule(rule, `/rules/${i}`));
  if (JSON.stringify(rules).length > RULES_CHARACTERS_MAX)
    throw invalid("/rules", `Must have at most ${RULES_CHARACTERS_MAX} characters in all.`);
  return rules;
}

function checkedRule({ tool, arguments: given, decision, simulate, ...others }: RuleRequest, path: string): Rule {
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalid(`${path}/${token(other)}`, "Is not a part of a rule.");
  const conditions = Object.entries(given ?? {});
  if (conditions.length > CONDITIONS_MAX)
    throw invalid(`${path}/arguments`, `Must have at most ${CONDITIONS_MAX} conditions.`);
  for (const [pointer, condition] of conditions) {
    const at = `${path}/arguments/${token(pointer)}`;
    if (!isPointer(pointer) || pointer.length > TEXT_CHARACTERS_MAX || !isStorableText(pointer))
      throw invalid(at, 'Must be a JSON Pointer, such as "/command".');
    requireCondition(condition, at);
  }
  return { tool, arguments: (given ?? {}) as Record<string, Condition>, decision, simulate: simulate ?? false };
}

/** What each part of a condition must be. */
const PARTS: Readonly<Record<keyof Condition, (value: unknown) => string | null>> = {
  equals: () => null,
  one_of: (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= ONE_OF_MAX
      ? null
      : `Must be a list of 1 to ${ONE_OF_MAX} values.`,
  glob: (value) => (isShortText(value) ? null : TEXT_RULE),
  matches: (value) => (isShortText(value) ? problemOf(value) : TEXT_RULE),
  over: (value) => (typeof value === "number" ? null : "Must be a number."),
  under: (value) => (typeof value === "number" ? null : "Must be a number."),
};

const TEXT_RULE = `Must be a text of 1 to ${TEXT_CHARACTERS_MAX} characters.`;

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= TEXT_CHARACTERS_MAX && isStorableText(value);
}

/** Says what is wrong with a regular expression. */
function problemOf(pattern: string): string | null {
  const parsed = parseSchema({ pattern });
  if (!parsed.ok) return parsed.problems[0]!.message;
  return translatePattern(pattern) === null
    ? "Must be a regular expression that RE2 can match: without look-around and back-references."
    : null;
}

function requireCondition(condition: unknown, path: string): void {
  if (!isJsonObject(condition) || Object.keys(condition).length === 0)
    throw invalid(path, `Must be an object with some of ${Object.keys(PARTS).join(", ")}.`);
  for (const [name, value] of Object.entries(condition)) {
    if (!Object.hasOwn(PARTS, name)) throw invalid(`${path}/${token(name)}`, "Is not a part of a condition.");
    const problem = PARTS[name as keyof Condition](value);
    if (problem !== null) throw invalid(`${path}/${name}`, problem);
  }
}

/** What the rules of a project say about a call. */
export interface Ruling {
  /** null: no rule decides, so Claude Code goes on as if there were no hook. */
  decision: RuleDecision | null;
  /** The number of the rule that decides, from 0. */
  rule: number | null;
  /** What the first simulated rule would have decided, if the one that decides does not come before it. */
  simulated: { rule: number; decision: RuleDecision } | null;
}

/**
 * Returns what the first rule that fits says. A rule that cannot be checked in time asks a person: it neither allows nor passes
 * the call on to a rule that does.
 */
export async function ruleOn(
  schemas: PatternHost,
  rules: readonly Rule[],
  call: Pick<HookCall, "tool" | "input">,
): Promise<Ruling> {
  let simulated: Ruling["simulated"] = null;
  for (const [i, rule] of rules.entries()) {
    const fits = await isFor(schemas, rule, call);
    if (fits === false || (fits === null && rule.simulate)) continue;
    const decision = fits === null ? "ask" : rule.decision;
    if (!rule.simulate) return { decision, rule: i, simulated };
    simulated ??= { rule: i, decision };
  }
  return { decision: null, rule: null, simulated };
}

/** Whether a rule is about a call; null if its patterns could not be matched in time. */
async function isFor(
  schemas: PatternHost,
  { tool, arguments: conditions }: Rule,
  call: Pick<HookCall, "tool" | "input">,
): Promise<boolean | null> {
  if (!matchesGlob(tool, call.tool)) return false;
  const patterns: (readonly [pattern: string, text: string])[] = [];
  for (const [pointer, condition] of Object.entries(conditions)) {
    const value = valueAt(call.input, pointer);
    if (value === undefined || !holds(condition, value)) return false;
    if (condition.matches === undefined) continue;
    if (typeof value !== "string") return false;
    patterns.push([condition.matches, value]);
  }
  // What costs more comes last.
  for (const [pattern, text] of patterns) {
    const { status } = await schemas.validate(requireSchema(JSON.stringify({ pattern }), "/matches"), text);
    if (status !== "valid") return status === "invalid" ? false : null;
  }
  return true;
}

/** Whether a value fulfills a condition, apart from `matches`. */
function holds({ equals, one_of, glob, over, under }: Condition, value: unknown): boolean {
  return (
    (equals === undefined || isSame(equals, value)) &&
    (one_of === undefined || one_of.some((one) => isSame(one, value))) &&
    (glob === undefined || (typeof value === "string" && matchesGlob(glob, value))) &&
    (over === undefined || (typeof value === "number" && value > over)) &&
    (under === undefined || (typeof value === "number" && value < under))
  );
}

/** Returns the value that a JSON Pointer leads to; undefined if there is none. Keys are data, whatever their names. */
function valueAt(input: JsonObject, pointer: string): unknown {
  let value: unknown = input;
  for (const key of pointer.split("/").slice(1).map(keyOf)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    // A list has a property beside its items.
    if (Array.isArray(value) && key === "length") return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

/** Whether a glob fits the whole text. `*` stands for any characters, also none, slashes and line breaks. */
export function matchesGlob(glob: string, text: string): boolean {
  const [first = "", ...others] = glob.split("*");
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  // Each part is searched once, from where the one before ended.
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
