/** Numbers and dates as people write them. Made once for a plan: the formatters of the platform are dear to make. */

export interface Formats {
  /** `isName`: a number that names something, such as an order or a year, and is not counted. */
  number(value: Numeric, isName?: boolean): string;
  /** null when there is no such currency. */
  currency(value: Numeric, currency: string): string | null;
  /** `isPoints`: 12 means 12 %, otherwise 0.12 does. */
  percent(value: Numeric, isPoints: boolean): string;
  unit(value: Numeric, unit: string): string;
  date(text: string): FormattedDate | null;
  time(text: string): FormattedDate | null;
  dateTime(text: string): FormattedDate | null;
  instant(epoch_ms: number): FormattedDate | null;
}

export interface FormattedDate {
  readonly text: string;
  readonly full_text: string;
  readonly relative: string | null;
  readonly utc: string | null;
}

/** A number, or the digits of one: those keep what a number of the platform would round. */
export type Numeric = number | Intl.StringNumericLiteral;

/** English with days before months and a 24-hour clock: read the same way everywhere. */
export const DEFAULT_LOCALE = "en-GB";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** @param timeZone - null when the reader's is not known: then times are in UTC, and say so */
export function formatsFor(wantedLocale: string | undefined, wantedZone: string | undefined, now: Date): Formats {
  const locale = isLocale(wantedLocale) ? wantedLocale : DEFAULT_LOCALE;
  const timeZone = isTimeZone(wantedZone) ? wantedZone : null;
  const made = new Map<string, Intl.NumberFormat>();
  const numberFormat = (options: Intl.NumberFormatOptions) => {
    const id = JSON.stringify(options);
    let format = made.get(id);
    if (format === undefined) {
      format = new Intl.NumberFormat(locale, options);
      made.set(id, format);
    }
    return format;
  };
  const dates = new Map<string, Intl.DateTimeFormat>();
  const dateFormat = (options: Intl.DateTimeFormatOptions) => {
    const id = JSON.stringify(options);
    let format = dates.get(id);
    if (format === undefined) {
      format = new Intl.DateTimeFormat(locale, options);
      dates.set(id, format);
    }
    return format;
  };
  const relative = {
    always: new Intl.RelativeTimeFormat(locale, { numeric: "always" }),
    auto: new Intl.RelativeTimeFormat(locale, { numeric: "auto" }),
  };
  const ago = (count: number, unit: Intl.RelativeTimeFormatUnit, numeric: "always" | "auto") =>
    relative[numeric].format(count, unit);

  /** Midnight UTC of the day it is for the reader. */
  let today: number | null = null;

  function plain(value: Numeric, options: Intl.NumberFormatOptions): string {
    // Intl would write all 309 digits.
    const size = Math.abs(Number(value));
    if (size >= 1e21 || (size !== 0 && size < 1e-7)) return String(value);
    return numberFormat(options).format(value);
  }

  function instant(epoch: number): FormattedDate | null {
    const date = new Date(epoch);
    if (Number.isNaN(date.getTime())) return null;
    const zone = timeZone ?? "UTC";
    const text = dateFormat({ dateStyle: "medium", timeStyle: "short", timeZone: zone }).format(date);
    const full = `${text} ${zoneName(date, zone)}`;
    return {
      text: timeZone === null ? full : text,
      full_text: full,
      relative: sinceThen(epoch - now.getTime()),
      utc: `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`,
    };
  }

  function zoneName(date: Date, zone: string): string {
    const parts = dateFormat({ hour: "numeric", timeZone: zone, timeZoneName: "short" }).formatToParts(date);
    return parts.find((part) => part.type === "timeZoneName")?.value ?? zone;
  }

  function sinceThen(ms: number): string {
    const size = Math.abs(ms);
    if (size < MINUTE) return ago(Math.trunc(ms / SECOND), "second", "auto");
    if (size < HOUR) return ago(Math.trunc(ms / MINUTE), "minute", "always");
    if (size < DAY) return ago(Math.trunc(ms / HOUR), "hour", "always");
    return inDays(Math.trunc(ms / DAY), "always");
  }

  function inDays(days: number, numeric: "always" | "auto"): string {
    const size = Math.abs(days);
    if (size < 60) return ago(days, "day", numeric);
    if (size < 730) return ago(Math.trunc(days / 30.44), "month", "always");
    return ago(Math.trunc(days / 365.25), "year", "always");
  }

  return {
    number(value, isName = false) {
      return plain(value, { maximumFractionDigits: 20, useGrouping: isName ? false : "min2" });
    },
    currency(value, currency) {
      if (!/^[A-Za-z]{3}$/.test(currency)) return null;
      // Cents are not rounded away: what is paid must be what was read.
      const digits = decimals(value);
      const least = numberFormat({ style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
      return plain(value, {
        style: "currency",
        currency,
        maximumFractionDigits: Math.max(least, Math.min(digits, 20)),
      });
    },
    percent(value, isPoints) {
      if (!isPoints) return plain(value, { style: "percent", maximumFractionDigits: 4 });
      return plain(value, { style: "unit", unit: "percent", maximumFractionDigits: 20 });
    },
    unit(value, unit) {
      const options: Intl.NumberFormatOptions = {
        style: "unit",
        unit,
        unitDisplay: "short",
        maximumFractionDigits: 20,
      };
      return isUnit(unit) ? plain(value, options) : `${plain(value, { maximumFractionDigits: 20 })} ${unit}`;
    },
    date(text) {
      const date = new Date(`${text}T00:00:00Z`);
      if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || !isSameDay(date, text)) return null;
      today ??= Date.parse(new Intl.DateTimeFormat("en-CA", { timeZone: timeZone ?? "UTC" }).format(now));
      const days = Math.round((date.getTime() - today) / DAY);
      const shown = dateFormat({ dateStyle: "medium", timeZone: "UTC" }).format(date);
      return { text: shown, full_text: shown, relative: inDays(days, "auto"), utc: null };
    },
    time(text) {
      const parts = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:\.\d+)?)?(Z|z|[+-]\d{2}:\d{2})?$/.exec(text);
      if (parts === null) return null;
      const [, hour, minute, second = "00", offset] = parts;
      const date = new Date(`1970-01-01T${hour}:${minute}:${second === "60" ? "59" : second}Z`);
      const timeStyle = second === "00" ? "short" : "medium";
      const shown = dateFormat({ timeStyle, timeZone: "UTC" }).format(date);
      const zone = offset === undefined ? "" : offset.toUpperCase() === "Z" ? " UTC" : ` UTC${offset}`;
      return { text: shown + zone, full_text: shown + zone, relative: null, utc: null };
    },
    dateTime(text) {
      const parts = DATE_TIME.exec(text);
      if (parts === null) return null;
      const [, day = "", clock = "", offset] = parts;
      const normal = `${day}T${clock}`;
      const local = new Date(`${normal}Z`);
      if (!isSameDay(local, day)) return null;
      if (offset !== undefined)
        return instant(Date.parse(normal + (offset.toUpperCase() === "Z" ? "Z" : withColon(offset))));
      // Written without a zone: nobody knows which instant that is.
      const shown = dateFormat({ dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }).format(local);
      return { text: shown, full_text: `${shown} (no time zone given)`, relative: null, utc: null };
    },
    instant,
  };
}

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(Z|z|[+-]\d{2}:?\d{2})?$/;

export function isDateTimeText(text: string): boolean {
  return text.length < 40 && DATE_TIME.test(text);
}

function withColon(offset: string): string {
  return offset.includes(":") ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
}

/** The 31st of February is no day, though the platform takes it for one of March. */
function isSameDay(date: Date, day: string): boolean {
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

function decimals(value: Numeric): number {
  return /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0;
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

function isUnit(unit: string): boolean {
  try {
    return new Intl.NumberFormat("en", { style: "unit", unit }).format(1) !== "";
  } catch {
    return false;
  }
}
