import { isIP } from "node:net";
import { hash } from "node:crypto";
import ipaddr from "ipaddr.js";
import type { Db, Tx } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { MINUTE, SECOND } from "../lib/time.ts";

/** A number of tries in a fixed window, counted over all replicas. (spec: Limits) */
export interface RateLimit {
  name: string;
  tries: number;
  windowMs: number;
}

export const LOGIN_BY_IP: RateLimit = { name: "login-ip", tries: 10, windowMs: 5 * MINUTE };
export const LOGIN_BY_EMAIL: RateLimit = { name: "login-email", tries: 20, windowMs: 5 * MINUTE };
export const SETUP_BY_IP: RateLimit = { name: "setup-ip", tries: 30, windowMs: 5 * MINUTE };

/** Counts one attempt against each limit. Counts nothing if a limit is reached, so that rejected attempts do not extend the wait. */
export async function countTry(db: Db, tries: readonly (readonly [RateLimit, source: string])[]): Promise<void> {
  // In one order, so that two of them wait for each other instead of deadlocking.
  const counted = tries
    .map(([limit, source]) => ({ limit, bucket: bucketOf(limit, source) }))
    .toSorted((a, b) => (a.bucket < b.bucket ? -1 : 1));
  const retryAt = await db.write(async (tx) => {
    const windows = [];
    for (const { limit, bucket } of counted) windows.push({ limit, row: await lockWindow(tx, bucket, limit) });
    const now = tx.now();
    const full = windows.filter(({ limit, row }) => row.ends_at > now && row.count >= limit.tries);
    if (full.length > 0) return { now, at: Math.max(...full.map(({ row }) => row.ends_at)) };
    for (const { limit, row } of windows) {
      const isOver = row.ends_at <= now;
      await tx.query
        .updateTable("rate_windows")
        .set({ count: isOver ? 1 : row.count + 1, ends_at: isOver ? now + limit.windowMs : row.ends_at })
        .where("bucket", "=", row.bucket)
        .execute();
    }
    return null;
  });
  if (retryAt !== null)
    throw new ServiceError("RATE_LIMITED", { retryAfter: Math.ceil((retryAt.at - retryAt.now) / SECOND) });
}

/** Locks the row of a window until `tx` ends. Creates it first if it doesn't exist. */
async function lockWindow(tx: Tx, bucket: string, limit: RateLimit) {
  return tx.query
    .insertInto("rate_windows")
    .values({ bucket, ends_at: tx.now() + limit.windowMs, count: 0 })
    .onConflict((conflict) => conflict.column("bucket").doUpdateSet({ bucket }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Forgets the tries of a source. */
export async function clearTries(tx: Tx, limit: RateLimit, source: string): Promise<void> {
  await tx.query.deleteFrom("rate_windows").where("bucket", "=", bucketOf(limit, source)).execute();
}

/** Of a fixed length, whatever the source is made of. */
function bucketOf({ name }: RateLimit, source: string): string {
  return `${name}:${hash("sha256", source, "base64url")}`;
}

/**
 * Returns the source that shares a limit. For IPv6 it is the /64, which belongs to one household or server and has too many
 * addresses to count.
 */
export function sourceOf(ip: string): string {
  const address = ip.split("%", 1)[0]!;
  if (isIP(address) === 0) return ip;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}
