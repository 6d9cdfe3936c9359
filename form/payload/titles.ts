import { t } from "../../languages/text.ts";
import { titleOf } from "../titles.ts";

const MAX_LENGTH = 120;

/** Returns a key as a title. Dates, numbers and whole sentences as keys, as in records, stay unchanged. */
export function readableKey(key: string): string {
  const short = key.length > MAX_LENGTH ? `${key.slice(0, MAX_LENGTH)}...` : key;
  const isName = /^[\p{L}_][\p{L}\p{M}\p{N}_.-]*$/u.test(key);
  return isName ? titleOf(short) : short.trim() === "" ? t("(no name)") : short;
}
