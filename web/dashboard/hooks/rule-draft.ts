import { t } from "../../../languages/text.ts";
import { token } from "../../../form/plan/entries.ts";
import { FieldError } from "../settings/field-error.ts";
import type { Decision, Rule } from "./queries.ts";
import { entryOf, type Kind } from "./rule-words.ts";

/** One part of a condition, as it is entered. */
export interface ConditionDraft {
  /** The same while others are removed. */
  readonly key: number;
  readonly argument: string;
  readonly kind: Kind;
  readonly value: string;
  /** Whether the value needs several lines, although its kind does not. */
  readonly isLong: boolean;
}

/** A rule as it is entered. */
export interface RuleDraft {
  readonly tool: string;
  readonly decision: Decision;
  readonly simulate: boolean;
  readonly conditions: readonly ConditionDraft[];
}

let keys = 0;

export function newCondition(): ConditionDraft {
  return { key: ++keys, argument: "", kind: "equals", value: "", isLong: false };
}

/** Returns what a rule is edited as. @param rule - null for a new one */
export function draftOf(rule: Rule | null): RuleDraft {
  if (rule === null) return { tool: "", decision: "ask", simulate: false, conditions: [] };
  const { tool, decision, simulate, arguments: all } = rule;
  const conditions = Object.entries(all).flatMap(([pointer, condition]) =>
    Object.entries(condition as Record<Kind, unknown>).map(([kind, given]): ConditionDraft => {
      const value = entryOfValue(kind as Kind, given);
      const isLong = kind !== "one_of" && /[\n\r]/.test(value);
      return { key: ++keys, argument: entryOf(pointer), kind: kind as Kind, value, isLong };
    }),
  );
  return { tool, decision, simulate, conditions };
}

/**
 * Returns the rule that was entered.
 * @param path - of the rule in the request, which the names of its fields begin with
 * @throws FieldError
 */
export function ruleOf({ tool, decision, simulate, conditions }: RuleDraft, path: string): Rule {
  if (tool.trim() === "") throw new FieldError(`${path}/tool`, t("Enter the name of a tool, or * for any tool."));
  const found: Record<string, Partial<Record<Kind, unknown>>> = {};
  for (const condition of conditions) {
    const { kind } = condition;
    const value = valueOf(condition, path);
    const pointer = pointerOf(condition);
    if (pointer === "" && ![value].flat().every((one) => typeof one === "object" && one !== null))
      throw new FieldError(argumentField(condition, path), t("Enter the name of an argument, such as command."));
    const parts = (found[pointer] ??= {});
    if (Object.hasOwn(parts, kind))
      throw new FieldError(argumentField(condition, path), t("Two conditions say the same about this argument."));
    parts[kind] = value;
  }
  return { tool: tool.trim(), arguments: found, decision, simulate };
}

/** Returns the name of the field with the argument: its JSON Pointer in the request. */
export function argumentField(condition: ConditionDraft, path: string): string {
  return `${path}/arguments/${token(pointerOf(condition))}`;
}

/** Returns the name of the field with the value. */
export function valueField(condition: ConditionDraft, path: string): string {
  return `${argumentField(condition, path)}/${condition.kind}`;
}

function pointerOf({ argument }: ConditionDraft): string {
  if (argument.startsWith("/")) return argument;
  const name = argument.trim();
  return name === "" ? "" : `/${name}`;
}

/** @throws FieldError */
function valueOf(condition: ConditionDraft, path: string): unknown {
  const { kind, value } = condition;
  const wrong = (message: string) => new FieldError(valueField(condition, path), message);
  switch (kind) {
    case "equals":
      if (value.trim() === "") throw wrong(t('Enter a value. Enter "" for an empty text.'));
      return readValue(value);
    case "one_of": {
      const lines = value.split("\n").filter((line) => line.trim() !== "");
      if (lines.length === 0) throw wrong(t("Enter at least one value."));
      return lines.map(readValue);
    }
    case "glob":
    case "matches":
      if (value === "") throw wrong(t("Enter a text."));
      return value;
    case "over":
    case "under": {
      const number = value.trim() === "" ? Number.NaN : Number(value.trim().replace(",", "."));
      if (!Number.isFinite(number)) throw wrong(t("Enter a number."));
      return number;
    }
  }
}

/** Reads JSON. What is no JSON is a text. */
function readValue(entry: string): unknown {
  const text = entry.trim();
  try {
    const value: unknown = JSON.parse(text);
    // A number may be too large to be kept.
    return value === Infinity || value === -Infinity ? text : value;
  } catch {
    return text;
  }
}

function entryOfValue(kind: Kind, value: unknown): string {
  switch (kind) {
    case "equals":
      return writeValue(value);
    case "one_of":
      return (value as unknown[]).map(writeValue).join("\n");
    case "glob":
    case "matches":
    case "over":
    case "under":
      return String(value);
  }
}

/** Writes a text as it is, unless it would be read as something else. */
function writeValue(value: unknown): string {
  if (typeof value !== "string" || value === "" || /[\n\r]/.test(value)) return JSON.stringify(value);
  return readValue(value) === value ? value : JSON.stringify(value);
}
