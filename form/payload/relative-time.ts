const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export interface RelativeTime {
  /** "3 hours ago", for an instant that is `ms` away from now. */
  since(ms: number): string;
  /** "tomorrow", for a day that is `days` away from today. */
  inDays(days: number, numeric: "always" | "auto"): string;
}

export function relativeTimeFor(locale: string): RelativeTime {
  const formatters = {
    always: new Intl.RelativeTimeFormat(locale, { numeric: "always" }),
    auto: new Intl.RelativeTimeFormat(locale, { numeric: "auto" }),
  };
  const ago = (count: number, unit: Intl.RelativeTimeFormatUnit, numeric: "always" | "auto") =>
    formatters[numeric].format(count, unit);

  function inDays(days: number, numeric: "always" | "auto"): string {
    const size = Math.abs(days);
    if (size < 60) return ago(days, "day", numeric);
    if (size < 730) return ago(Math.trunc(days / 30.44), "month", "always");
    return ago(Math.trunc(days / 365.25), "year", "always");
  }

  return {
    since(ms) {
      const size = Math.abs(ms);
      if (size < MINUTE) return ago(Math.trunc(ms / SECOND), "second", "auto");
      if (size < HOUR) return ago(Math.trunc(ms / MINUTE), "minute", "always");
      if (size < DAY) return ago(Math.trunc(ms / HOUR), "hour", "always");
      return inDays(Math.trunc(ms / DAY), "always");
    },
    inDays,
  };
}
