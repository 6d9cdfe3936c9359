import { createHmac } from "node:crypto";
import { isSameSecret } from "../../lib/keys.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";

/** A request that was sent longer ago, or later than now, is a replay. */
const WINDOW_MS = 5 * MINUTE;

/** Whether a request comes from Slack, and just now. (spec: Authentication, Chat-vendor signature) @param now - epoch milliseconds */
export function isFromSlack(
  secret: string,
  { timestamp, signature, body }: { timestamp: unknown; signature: unknown; body: Buffer },
  now: number,
): boolean {
  if (typeof timestamp !== "string" || typeof signature !== "string" || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now - Number(timestamp) * SECOND) > WINDOW_MS) return false;
  const mac = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex");
  return isSameSecret(signature, `v0=${mac}`);
}
