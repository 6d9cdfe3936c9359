import { hash } from "node:crypto";
import { isJsonObject, parseJson, type JsonObject } from "../lib/json.ts";
import type { StoredEntry } from "./entries.ts";

/** Returns whether a request has the entries of a stored task. @param request - may be anything */
export function hasSameEntries(stored: string | null, { resume }: JsonObject): boolean {
  const before = parseJson<StoredEntry[]>(stored)?.map(({ digest }) => digest) ?? [];
  if (resume == null) return before.length === 0;
  if (!Array.isArray(resume) || resume.length !== before.length) return false;
  return resume.every((entry, i) => isJsonObject(entry) && digestOf(entry) === before[i]);
}

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
