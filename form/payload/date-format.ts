import { t } from "../../languages/text.ts";
import { formatterCache } from "./formatter-cache.ts";
import { DAY, relativeTimeFor } from "./relative-time.ts";

export interface FormattedDate {
  readonly text: string;
  readonly full_text: string;
  readonly relative: string | null;
  readonly utc: string | null;
}

/** Each function returns null for a text that is not a valid date or time. */
export interface DateFormats {
  date(text: string): FormattedDate | null;
  time(text: string): FormattedDate | null;
  dateTime(text: string): FormattedDate | null;
  instant(epoch_ms: number): FormattedDate | null;
}

/** @param timeZone - null if the reader's zone is unknown; then times are in UTC and say so */
export function dateFormatsFor(locale: string, timeZone: string | null, now: Date): DateFormats {
  const formatter = formatterCache((options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));
  const relative = relativeTimeFor(locale);
  /** Midnight in UTC of the reader's current day. */
  let today: number | null = null;

  function instant(epoch: number): FormattedDate | null {
    const date = new Date(epoch);
    if (Number.isNaN(date.getTime())) return null;
    const zone = timeZone ?? "UTC";
    const text = formatter({ dateStyle: "medium", timeStyle: "short", timeZone: zone }).format(date);
    const full = `${text} ${zoneName(date, zone)}`;
    return {
      text: timeZone === null ? full : text,
      full_text: full,
      relative: relative.since(epoch - now.getTime()),
      utc: `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`,
    };
  }

  function zoneName(date: Date, zone: string): string {
    const parts = formatter({ hour: "numeric", timeZone: zone, timeZoneName: "short" }).formatToParts(date);
    return parts.find((part) => part.type === "timeZoneName")?.value ?? zone;
  }

  return {
    date(text) {
      const date = new Date(`${text}T00:00:00Z`);
      if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || !isSameDay(date, text)) return null;
      today ??= Date.parse(new Intl.DateTimeFormat("en-CA", { timeZone: timeZone ?? "UTC" }).format(now));
      const days = Math.round((date.getTime() - today) / DAY);
      const shown = formatter({ dateStyle: "medium", timeZone: "UTC" }).format(date);
      return { text: shown, full_text: shown, relative: relative.inDays(days, "auto"), utc: null };
    },
    time: (text) => formatTime(formatter, text),
    dateTime(text) {
      const parts = DATE_TIME.exec(text);
      if (parts === null) return null;
      const [, day = "", clock = "", offset] = parts;
      const normal = `${day}T${clock}`;
      const local = new Date(`${normal}Z`);
      if (!isSameDay(local, day)) return null;
      if (offset !== undefined)
        return instant(Date.parse(normal + (offset.toUpperCase() === "Z" ? "Z" : withColon(offset))));
      // It has no zone, so its instant is unknown.
      const shown = formatter({ dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }).format(local);
      return { text: shown, full_text: t("{time} (no time zone given)", { time: shown }), relative: null, utc: null };
    },
    instant,
  };
}

/** Formats a time of day with its own offset. It cannot be converted to another zone, because its day is unknown. */
function formatTime(
  formatter: (options: Intl.DateTimeFormatOptions) => Intl.DateTimeFormat,
  text: string,
): FormattedDate | null {
  const parts = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:\.\d+)?)?(Z|z|[+-]\d{2}:\d{2})?$/.exec(text);
  if (parts === null) return null;
  const [, hour, minute, second = "00", offset] = parts;
  const date = new Date(`1970-01-01T${hour}:${minute}:${second === "60" ? "59" : second}Z`);
  const timeStyle = second === "00" ? "short" : "medium";
  const shown = formatter({ timeStyle, timeZone: "UTC" }).format(date);
  const zone = offset === undefined ? "" : offset.toUpperCase() === "Z" ? " UTC" : ` UTC${offset}`;
  return { text: shown + zone, full_text: shown + zone, relative: null, utc: null };
}

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(Z|z|[+-]\d{2}:?\d{2})?$/;

export function isDateTimeText(text: string): boolean {
  return text.length < 40 && DATE_TIME.test(text);
}

function withColon(offset: string): string {
  return offset.includes(":") ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
}

/** Rejects days such as 31 February, which the platform reads as a day of March. */
function isSameDay(date: Date, day: string): boolean {
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
