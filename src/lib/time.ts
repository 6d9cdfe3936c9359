export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/**
 * Returns epoch milliseconds as ISO 8601 UTC with milliseconds, the only format that the service sends. (spec:
 * Resources)
 */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  if (ms === null) return null;
  const second = Math.floor(ms / SECOND);
  let text = seconds.get(second);
  if (text === undefined) {
    text = new Date(second * SECOND).toISOString().slice(0, -4);
    if (seconds.size >= SECONDS_KEPT) seconds.clear();
    seconds.set(second, text);
  }
  return `${text}${String(ms - second * SECOND).padStart(3, "0")}Z`;
}

/**
 * Returns an ISO 8601 time with an offset, such as 2026-01-31T12:00:00+01:00, as epoch milliseconds; null for any other text.
 */
export function parseTime(text: string): number | null {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? null : time;
}

/** Seconds that were formatted before: an answer has several times, and most of them are recent. */
const seconds = new Map<number, string>();
const SECONDS_KEPT = 1000;
