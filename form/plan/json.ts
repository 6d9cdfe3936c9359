import type { FormNode, JsonNode, NodeBase } from "./nodes.ts";
import { enteredAt } from "./planning.ts";
import type { FieldContext } from "./planning.ts";
import { initialValue } from "./presets.ts";
import { NO_ENTRY, outcomeOf } from "./readings.ts";
import type { Reading } from "./readings.ts";

/** Returns a text area for JSON, the control for what no other control can express. */
export function planJson(field: FieldContext): FormNode {
  return jsonNode(field.base, enteredAt(field, "~json"), initialValue(field, "free"));
}

export function jsonNode(base: NodeBase, entered: readonly string[] | undefined, initial: unknown): JsonNode {
  const entry = entered ?? (initial === undefined ? NO_ENTRY : [JSON.stringify(initial, null, 2)]);
  const [text = ""] = entry;
  // A person must enter null explicitly, like any other value.
  const own = { ...base, nullable: false };
  return { ...own, kind: "json", entry, ...outcomeOf(own, readJson(text)) };
}

/** The maximum depth of a JSON value that the service accepts. */
const MAX_JSON_DEPTH = 64;

function isTooDeep(value: unknown, left = MAX_JSON_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  return left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1));
}

function readJson(text: string): Reading {
  if (text.trim() === "") return "blank";
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? { problem: { code: "too_deep" } } : { value };
  } catch (error) {
    return { problem: { code: "not_json", line: lineOf(error, text) } };
  }
}

/** Returns the line of a syntax error. Engines name a line or a position, or neither: then it is 0. */
function lineOf(error: unknown, text: string): number {
  const message = error instanceof Error ? error.message : "";
  const position = /position (\d+)/.exec(message)?.[1];
  const line = /line (\d+)/.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  return position === undefined ? 0 : text.slice(0, Number(position)).split("\n").length;
}
