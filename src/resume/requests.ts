import type { Answer } from "./kind.ts";

/** Longest part of a vendor's message that a sentence repeats, in characters. */
const SAID_MAX = 200;
/** Longest body of an error that is stored, in characters. */
const STORED_MAX = 4096;

/**
 * Returns the address of a path under the base URL of a connection. Each part is encoded, so it stays one part.
 * @throws TypeError for a part that would lead to another path: see `partProblem`
 */
export function under(base: string, ...parts: string[]): string {
  const problem = parts.map(partProblem).find((one) => one !== null);
  if (problem !== undefined) throw new TypeError(problem);
  const url = new URL(base);
  url.search = "";
  url.hash = "";
  url.pathname = [url.pathname.replace(/\/+$/, ""), ...parts.map(encodeURIComponent)].join("/");
  return url.href;
}

/** Returns why a text of a client cannot be a part of a path; null if it can. Parsers of URLs decode `%2E` before they follow dots. */
export function partProblem(part: string): string | null {
  if (part === "") return "It is empty.";
  if (part === "." || part === "..") return `"${part}" cannot be part of an address.`;
  return part.isWellFormed() ? null : "It has half a character, which an address cannot have.";
}

/** Returns the header of a bearer token; without a token, none. */
export function bearer(token: string | null): Record<string, string> {
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

/** Returns what is wrong with a secret that is sent in a header, as a sentence; null if nothing is. */
export function headerProblem(secret: string): string | null {
  return /^[\x21-\x7e]+$/.test(secret) ? null : "It must be ASCII without spaces, because it is sent in a header.";
}

/** Returns an answer's body, if it is a JSON object and whole; otherwise an empty object. */
export function bodyOf({ body }: Answer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
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
