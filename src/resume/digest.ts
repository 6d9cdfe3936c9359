import { hash } from "node:crypto";
import { isJsonObject, type JsonObject } from "../lib/json.ts";

/** Names an entry of `resume` without showing it. Fields may come in any order, and null is as good as absent. */
export function digestOf(entry: JsonObject): string {
  return hash("sha256", JSON.stringify(inOrder(entry)), "base64url").slice(0, 22);
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).filter((name) => value[name] != null);
  return Object.fromEntries(names.toSorted().map((name) => [name, inOrder(value[name])]));
}
