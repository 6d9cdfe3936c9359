import { isObject, type JsonObject } from "../json.ts";
import { schemaErrors } from "./schemas.ts";

/** Matches values of an `enum` that mean yes. */
const YES = /^(yes|ok|okay|approved?|accept(ed)?|allow(ed)?|confirm(ed)?|agreed?|grant(ed)?|publish(ed)?)$/i;
const DEPTH_MAX = 20;

/**
 * Returns the shortest positive answer that the schema allows: true for a boolean, the value of an `enum` that reads
 * like yes or else the first one, the least number, a word for text. An object has its required fields, or its booleans
 * if nothing is required. @returns undefined if a schema requires more than can be made up, such as a pattern
 */
export function plausibleAnswer(schema: JsonObject): JsonObject | undefined {
  const answer = build(schema, schema, 0);
  return isObject(answer) && schemaErrors(schema, answer).length === 0 ? answer : undefined;
}

function build(within: unknown, schema: unknown, depth: number): unknown {
  if (schema === true) return true;
  if (!isObject(schema) || depth > DEPTH_MAX) return undefined;
  const root = documentOf(schema, within);
  const { const: only, enum: values, $ref, anyOf, oneOf } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(values)) return values.find((one) => YES.test(String(one))) ?? values[0];
  if (typeof $ref === "string") return build(root, resolveRef(root, $ref), depth + 1);
  const branches = anyOf ?? oneOf;
  if (Array.isArray(branches))
    return branches.map((branch) => build(root, branch, depth + 1)).find((made) => made !== undefined && made !== null);
  const otherwise = schema["properties"] === undefined ? "boolean" : "object";
  const type = typesOf(schema).find((one) => one !== "null") ?? otherwise;
  switch (type) {
    case "boolean":
      return true;
    case "string":
      return text(schema);
    case "integer":
    case "number":
      return number(schema);
    case "array": {
      const item = build(root, schema["items"] ?? true, depth + 1);
      return Array.from({ length: numberIn(schema, "minItems", 0) }, () => item);
    }
    case "object":
      return object(root, schema, depth);
    default:
      return undefined;
  }
}

function object(root: unknown, schema: JsonObject, depth: number): JsonObject | undefined {
  const known = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = (schema["required"] ?? []) as string[];
  const booleans = Object.keys(known).filter((name) => (known[name] as JsonObject)["type"] === "boolean");
  const made: JsonObject = {};
  for (const name of required.length > 0 ? required : booleans) {
    const value = build(root, known[name] ?? true, depth + 1);
    if (value === undefined) return undefined;
    made[name] = value;
  }
  return made;
}

const FORMATS: Readonly<Record<string, string>> = {
  email: "person@example.com",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  uri: "https://example.com",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function text(schema: JsonObject): string | undefined {
  const { format, pattern } = schema;
  // zod writes the format, and beside it the pattern that checks it.
  if (typeof format === "string") return FORMATS[format];
  if (pattern !== undefined) return undefined;
  return "ok".padEnd(numberIn(schema, "minLength", 0), ".").slice(0, numberIn(schema, "maxLength", Infinity));
}

function number(schema: JsonObject): number | undefined {
  const step = numberIn(schema, "multipleOf", 1);
  const above = numberIn(schema, "exclusiveMinimum", -Infinity);
  const least = Math.max(numberIn(schema, "minimum", -Infinity), above);
  const most = Math.min(numberIn(schema, "maximum", Infinity), numberIn(schema, "exclusiveMaximum", Infinity));
  if (least <= 0 && most >= 0 && above < 0) return 0;
  if (least === -Infinity) return Math.floor(most / step) * step - (most === schema["exclusiveMaximum"] ? step : 0);
  const lowest = Math.ceil(least / step) * step;
  return lowest > above ? lowest : lowest + step;
}

/** Returns the document that a schema's references belong to: the one that its `$id` begins, or the outer one. */
function documentOf(schema: JsonObject, within: unknown): unknown {
  return typeof schema["$id"] === "string" ? schema : within;
}

/** Returns the schema that a reference within the document `root` leads to; undefined if there is none. */
function resolveRef(root: unknown, ref: string): unknown {
  if (!/^#(\/|$)/.test(ref)) return undefined;
  const names = decodeURIComponent(ref).split("/").slice(1);
  const unescaped = names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return unescaped.reduce<unknown>((at, name) => (at as JsonObject | undefined)?.[name], root);
}

/** Returns the types that a schema names; empty if it allows all of them. */
function typesOf({ type }: JsonObject): readonly string[] {
  return [type].flat().filter((one) => typeof one === "string");
}

function numberIn(schema: JsonObject, keyword: string, otherwise: number): number {
  const value = schema[keyword];
  return typeof value === "number" ? value : otherwise;
}
