import { createHmac } from "node:crypto";
import type { Db } from "../../db/database.ts";
import { ServiceError, type ErrorCode } from "../../errors.ts";
import { isSameSecret } from "../../lib/keys.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";
import { tryOnce, type RateLimit } from "../../people/rate-limits.ts";

/** A request that was sent longer ago, or later than now, is a replay. */
const WINDOW_MS = 5 * MINUTE;

/** A signature is valid from five minutes before its time until five minutes after it. One request counts once, on all replicas. */
const SAME_REQUEST: RateLimit = { name: "slack-request", tries: 1, windowMs: 2 * WINDOW_MS };

const UNWRITTEN: ReadonlySet<ErrorCode> = new Set(["COMMIT_UNKNOWN", "DATABASE_UNAVAILABLE"]);

/** Returns whether a request with this signature is here for the first time. Slack signs what it sends again with a new time. */
export async function isNewRequest(db: Db, signature: string): Promise<boolean> {
  try {
    return await tryOnce(db, SAME_REQUEST, signature);
  } catch (error) {
    // Whether it was stored matters to a repetition only, and that changes nothing without a database that can write.
    if (error instanceof ServiceError && UNWRITTEN.has(error.code)) return true;
    throw error;
  }
}

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
