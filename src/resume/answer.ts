import { isJsonObject } from "../lib/json.ts";
import type { Answer, Fields } from "./kind.ts";

/** Longest part of a vendor's message that a sentence repeats, in characters. */
const SAID_MAX = 200;
/** Longest body of an error that is stored, in characters. */
const STORED_MAX = 4096;

/** Returns the value of JSON; undefined if the text is none, or was cut off. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the JSON of an answer; undefined if it is none, or was cut off. */
export function jsonOf({ body }: Pick<Answer, "body">): unknown {
  return parsed(body);
}

/** Returns an answer's body, if it is a JSON object and whole; otherwise an empty object. */
export function bodyOf(answer: Pick<Answer, "body">): Fields {
  const value = jsonOf(answer);
  return isJsonObject(value) ? value : {};
}

/** Returns the text of an answer that is plain text; undefined for others. */
export function plainTextOf({ headers, body }: Answer): string | undefined {
  return headers["content-type"]?.startsWith("text/plain") ? body : undefined;
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

/** Returns text of a vendor as the end of a sentence, on one line. */
export function quoted(text: unknown): string {
  if (typeof text !== "string" || text.trim() === "") return ".";
  const line = text.replaceAll(/\s+/g, " ").trim();
  return `: ${line.length > SAID_MAX ? `${line.slice(0, SAID_MAX)}...` : line}`;
}

/**
 * Returns an answer as it may be stored: without the body of a success, which may repeat the outcome or what else the engine
 * holds, and with the beginning of an error's.
 */
export function storable(answer: Answer): Answer {
  return { ...answer, body: answer.status < 300 ? "" : answer.body.slice(0, STORED_MAX) };
}
