import { pathOf } from "./location.ts";
import type { Location } from "./location.ts";
import { pointerOf, TYPES } from "./schema.ts";
import type { SchemaNode } from "./schema.ts";

/** One reason why a value does not fit its schema. */
export interface ValidationError {
  /** JSON Pointer into the instance. */
  path: string;
  keyword: string;
  /** A sentence for people. Not stable; compare `keyword` and `path`. */
  message: string;
  /** JSON Pointer into the schema document that holds the keyword. */
  schema_path: string;
}

export function makeError(node: SchemaNode, location: Location, keyword: string, message: string): ValidationError {
  return { path: pathOf(location), keyword, message, schema_path: pointerOf(node, keyword) };
}

/** `false` as a schema: says nothing by itself, so the keyword that holds it speaks. */
export function forbiddenError(node: SchemaNode, location: Location): ValidationError {
  const message =
    node.keyword === "additionalProperties" || node.keyword === "unevaluatedProperties"
      ? `The property ${show(location.key)} is not allowed.`
      : node.keyword === "items" || node.keyword === "additionalItems" || node.keyword === "unevaluatedItems"
        ? "There are more items than allowed."
        : node.keyword === "propertyNames"
          ? "No properties are allowed."
          : "No value is allowed here.";
  const keyword = node.keyword === "" || node.keyword.startsWith("/") ? "false" : node.keyword;
  return { path: pathOf(location), keyword, message, schema_path: pointerOf(node) };
}

/** A value as it is shown in a sentence: as JSON, shortened. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value);
  if (Array.isArray(value)) return value.length === 0 ? "[]" : "a list";
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0 ? "{}" : "an object";
  return String(value);
}

/** "a", "a or b", "a, b or c"; the rest is counted when there are many. */
export function showChoices(values: readonly unknown[]): string {
  const shown = values.slice(0, 10).map(show);
  if (values.length > 10) shown.push(`${values.length - 10} others`);
  return orList(shown);
}

function orList(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}

const TYPE_WORDS: ReadonlyMap<string, string> = new Map([
  ["null", "null"],
  ["boolean", "true or false"],
  ["integer", "a whole number"],
  ["number", "a number"],
  ["string", "a text"],
  ["array", "a list"],
  ["object", "an object"],
]);

export function showTypes(types: number): string {
  const words: string[] = [];
  for (const [name, bit] of TYPES) if ((types & bit) !== 0) words.push(TYPE_WORDS.get(name) ?? name);
  return orList(words);
}

export function showKind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a text";
  if (typeof value === "number") return "a number";
  if (typeof value === "boolean") return String(value);
  return typeof value === "object" ? "an object" : "no JSON value";
}

export function plural(count: number, word: string): string {
  if (count === 1) return `1 ${word}`;
  return `${count} ${word.endsWith("y") ? `${word.slice(0, -1)}ie` : word}s`;
}
