import { titleOf } from "../titles.ts";

const MAX_LENGTH = 120;

/** A key as a title. Dates, numbers and whole sentences as keys, as records have them, are their own best title. */
export function readableKey(key: string): string {
  const short = key.length > MAX_LENGTH ? `${key.slice(0, MAX_LENGTH)}...` : key;
  const isName = /^[\p{L}_][\p{L}\p{M}\p{N}_.-]*$/u.test(key);
  return isName ? titleOf(short) : short.trim() === "" ? "(no name)" : short;
}
