import { schedule } from "../deliveries/schedule.ts";
import { HOUR, MINUTE, SECOND } from "../lib/time.ts";

/** Makes thirteen attempts in three days. (spec: Events, Delivery) */
export const nextAttemptAt = schedule([
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
]);
