import { SECOND } from "../lib/time.ts";
import type { Kind } from "./kinds.ts";

/** An outage hits many deliveries at once. Their retries are spread over this share of their wait ... */
const LATENESS_SHARE = 0.1;
/** ... and over at most this time. */
const MAX_LATENESS_MS = 60 * SECOND;

/**
 * Returns the function that says when to try again after `attempts` failures; null abandons the delivery, by count and not
 * by age. It is never early, and late by at most a tenth of the wait and at most 60 s.
 *
 * `endedAt` is the end of the attempt before; without one, the creation of the delivery. `random` goes from 0 (exactly after
 * the wait) to 1 (as late as allowed).
 *
 * @param waits - before attempt 1, 2, 3 ..., in milliseconds
 */
export function schedule(waits: readonly number[]): Kind["nextAttemptAt"] {
  return (attempts, endedAt, random) => {
    const wait = waits[attempts];
    if (wait === undefined) return null;
    const lateness = Math.min(wait * LATENESS_SHARE, MAX_LATENESS_MS) * random;
    return new Date(endedAt.getTime() + wait + Math.floor(lateness));
  };
}
