const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Wait before attempt 1, 2, 3 ... 13, in milliseconds. (spec: Events, Delivery) */
const WAITS_MS = [
  0,
  30 * SECOND,
  60 * SECOND,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  24 * HOUR,
  24 * HOUR,
] as const;

/** Retries of an outage that hit many deliveries at once are spread over this part of their wait ... */
const LATENESS_SHARE = 0.1;
/** ... and over no more than this. */
const MAX_LATENESS_MS = 60 * SECOND;

/**
 * When to try next after `attempts` failures, or null when the delivery is to be abandoned: after the thirteenth,
 * by count and not by age. Never early; late by at most a tenth of the wait and at most 60 s. (spec: Events, Delivery)
 *
 * @param endedAt - when the attempt before ended; with no attempt yet, when the callback became owed
 * @param random - from 0 (on the dot) to 1 (as late as allowed)
 */
export function nextAttemptAt(attempts: number, endedAt: Date, random: number): Date | null {
  const wait = WAITS_MS[attempts];
  if (wait === undefined) return null;

  const lateness = Math.min(wait * LATENESS_SHARE, MAX_LATENESS_MS) * random;
  return new Date(endedAt.getTime() + wait + Math.floor(lateness));
}
