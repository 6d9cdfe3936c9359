import type { Answer } from "./kind.ts";

/** Returns the JSON of an answer; undefined if it is none, or was cut off. */
export function jsonOf({ body }: Pick<Answer, "body">): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns a field of an answer that is a JSON object; undefined if there is none. */
export function fieldOf(answer: Pick<Answer, "body">, name: string): unknown {
  return memberOf(jsonOf(answer), name);
}

/** Returns a member of a value from elsewhere; undefined if it is no object, or has none. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
