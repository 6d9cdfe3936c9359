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

/** Seconds that were formatted before: an answer has several times, and most of them are recent. */
const seconds = new Map<number, string>();
const SECONDS_KEPT = 1000;
