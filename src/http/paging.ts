import { invalid } from "../errors.ts";

/** The end of a page of a list: the sort value and the id of its last row. */
export type Position = [at: number, id: string];

export function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** @throws ServiceError VALIDATION_FAILED for an invalid cursor */
export function decodeCursor(cursor: string): Position {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (
      Array.isArray(position) &&
      position.length === 2 &&
      Number.isSafeInteger(position[0]) &&
      typeof position[1] === "string" &&
      /^[a-z0-9_]{1,60}$/.test(position[1])
    ) {
      return position as Position;
    }
  } catch {
    // Neither base64 nor JSON: the same answer as for any other invalid cursor.
  }
  throw invalid("/query/cursor", "Invalid cursor. Take it from the `Link` header unchanged.");
}

/**
 * Returns the value of the header `Link` for the page at `cursor`.
 *
 * @param path - of the list; the host in an absolute request address is not repeated
 * @param url - of the request; its query is kept
 */
export function linkToNext(path: string, url: string, cursor: string): string {
  const start = url.indexOf("?");
  const search = new URLSearchParams(start < 0 ? "" : url.slice(start + 1));
  search.delete("offset");
  search.set("cursor", cursor);
  return `<${path}?${search.toString()}>; rel="next"`;
}
