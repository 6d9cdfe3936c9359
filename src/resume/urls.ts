/**
 * Returns an address below the one of a connection, which may have a path of its own.
 * @param parts - of the path. Each becomes one segment. None may be a dot segment: see `isDotSegment`
 */
export function urlBelow(base: string, ...parts: string[]): string {
  return [base.replace(/\/+$/, ""), ...parts.map(encodeURIComponent)].join("/");
}

/** Returns whether a part of a path means another folder, encoded or not, which no encoding prevents. (WHATWG URL) */
export function isDotSegment(part: string): boolean {
  return /^(\.|%2e){1,2}$/i.test(part);
}
