import { isLocale } from "../../languages/languages.ts";
import { invalid } from "../errors.ts";

/** Characters of a tag. */
export const LOCALE_MAX = 60;

/** @throws ServiceError VALIDATION_FAILED, for a tag that BCP 47 does not know */
export function requireLocale(locale: string | null | undefined): void {
  if (locale != null && !isLocale(locale))
    throw invalid("/locale", "Must be the tag of a language, such as `de` or `pt-BR` (BCP 47).");
}
