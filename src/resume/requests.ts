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
