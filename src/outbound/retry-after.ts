import type { IncomingHttpHeaders } from "node:http";
import { MINUTE, SECOND } from "../lib/time.ts";

/** Longest wait that a receiver can ask for. */
const WAIT_MAX_MS = 60 * MINUTE;

/** Reads `Retry-After`: seconds or a date. (RFC 9110, 10.2.3) @returns milliseconds, up to an hour; undefined if it asks for no wait */
export function retryAfter(headers: IncomingHttpHeaders, now: number): number | undefined {
  const text = headers["retry-after"];
  if (text === undefined) return undefined;
  return waitOf(/^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now);
}

/** Returns the wait that a receiver asks for, up to the longest one; undefined if it is none. @param ms - may be NaN */
export function waitOf(ms: number): number | undefined {
  return ms > 0 ? Math.min(ms, WAIT_MAX_MS) : undefined;
}
