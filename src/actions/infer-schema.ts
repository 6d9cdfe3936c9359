import { isJsonObject, type JsonObject } from "../lib/json.ts";

/** Parts of a schema that are made at most. What is beyond them may be anything. */
const PARTS_MAX = 1000;
/** Deeper values may be anything, and a form asks for them as JSON. */
const DEPTH_MAX = 6;

/** Returns a JSON Schema of the shape that arguments have, so that a person edits them in a form and not as JSON. */
export function inferSchema(args: JsonObject): JsonObject {
  let left = PARTS_MAX;
  return infer(args, 0);

  function infer(value: unknown, depth: number): JsonObject {
    left -= 1;
    if (Array.isArray(value)) return { type: "array", ...itemsOf(value, depth) };
    if (isJsonObject(value)) return { type: "object", ...propertiesOf(value, depth) };
    return value === null ? {} : { type: typeof value };
  }

  function propertiesOf(value: JsonObject, depth: number): JsonObject {
    const keys = Object.keys(value);
    if (depth >= DEPTH_MAX || keys.length > left) return {};
    return { properties: Object.fromEntries(keys.map((key) => [key, infer(value[key], depth + 1)])) };
  }

  /** The items of a list have one shape if those that are there do. */
  function itemsOf(value: readonly unknown[], depth: number): JsonObject {
    if (depth >= DEPTH_MAX || value.length === 0 || value.length > left) return {};
    const [first, ...others] = value.map((item) => infer(item, depth + 1));
    const text = JSON.stringify(first);
    return others.every((other) => JSON.stringify(other) === text) ? { items: first } : {};
  }
}
