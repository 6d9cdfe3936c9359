import { plural, t } from "../../../languages/text.ts";
import type { Kind } from "./queries.ts";

/** What a kind is called, as a heading of its own and before a name. */
export const KIND_WORDS: Readonly<Record<Kind, string>> = {
  pool: t("Pool"),
  role: t("Role"),
  access_level: t("Access level"),
};

export function peopleWord(count: number): string {
  return plural(count, "{n} person", "{n} people");
}

/** @param isAll - false: there may be more */
export function waitingWord(count: number, isAll: boolean): string {
  if (count === 0) return isAll ? t("Nothing waits") : t("Nothing found that waits");
  return isAll
    ? plural(count, "{n} task waits", "{n} tasks wait")
    : plural(count, "{n} or more tasks wait", "{n} or more tasks wait");
}
