import { SECOND } from "../lib/time.ts";
import type { Kind } from "./kinds.ts";

/** Retries of an outage that hit many deliveries at once are spread over this part of their wait ... */
const LATENESS_SHARE = 0.1;
/** ... and over no more than this. */
const MAX_LATENESS_MS = 60 * SECOND;

/**
 * When to try next after `attempts` failures, or null when the delivery is to be abandoned, by count and not by age. Never
 * early; late by at most a tenth of the wait and at most 60 s.
 *
 * `endedAt` is when the attempt before ended; with no attempt yet, when the delivery became owed. `random` goes from 0 (on
 * the dot) to 1 (as late as allowed).
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
