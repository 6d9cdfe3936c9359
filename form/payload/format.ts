import { currentLanguage } from "../../languages/text.ts";
import { dateFormatsFor } from "./date-format.ts";
import type { DateFormats } from "./date-format.ts";
import { numberFormatsFor } from "./number-format.ts";
import type { NumberFormats } from "./number-format.ts";

/** Numbers and dates as people write them. */
export interface Formats extends NumberFormats, DateFormats {}

/**
 * Returns the locale of the current language. English is written with the day before the month and a 24-hour clock, which readers
 * everywhere understand the same way.
 */
export function defaultLocale(): string {
  return currentLanguage() === "en" ? "en-GB" : currentLanguage();
}

/** Returns the formats of a plan, which creates them once. Without a known time zone, times are in UTC and say so. */
export function formatsFor(locale: string | undefined, timeZone: string | undefined, now: Date): Formats {
  const known = isLocale(locale) ? locale : defaultLocale();
  return { ...numberFormatsFor(known), ...dateFormatsFor(known, isTimeZone(timeZone) ? timeZone : null, now) };
}

function isLocale(locale: string | undefined): locale is string {
  try {
    return locale !== undefined && Intl.NumberFormat.supportedLocalesOf([locale]).length > 0;
  } catch {
    return false;
  }
}

function isTimeZone(zone: string | undefined): zone is string {
  try {
    return zone !== undefined && new Intl.DateTimeFormat("en", { timeZone: zone }).format(0) !== "";
  } catch {
    return false;
  }
}
