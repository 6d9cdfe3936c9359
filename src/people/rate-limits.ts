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
/** Answers with a passkey in a session: their signatures cannot be guessed, but checking them takes time. */
export const PASSKEY_BY_SESSION: RateLimit = { name: "passkey-session", tries: 30, windowMs: 5 * MINUTE };
export const SETUP_BY_IP: RateLimit = { name: "setup-ip", tries: 30, windowMs: 5 * MINUTE };

/** Links by which people set their password. As many as sign-ins, because each is first read and then used. */
export const INVITATION_BY_IP: RateLimit = { name: "invitation-ip", tries: 20, windowMs: 5 * MINUTE };

/** Maximum number of windows that are kept, and of new ones between two looks at how many there are. */
const WINDOWS_MAX = 100_000;
const NEW_WINDOWS_MAX = 10_000;
const newWindows = new WeakMap<Db, number>();

/**
 * Counts one attempt against each limit. Counts nothing if a limit is reached, so that rejected attempts do not extend the
 * wait. They write nothing either: the limit of the source comes first, so that one source cannot fill the database.
 *
 * @param tries - the source first; always in the same order, so that concurrent attempts wait instead of deadlocking
 * @throws ServiceError RATE_LIMITED
 */
export async function countTry(db: Db, tries: readonly (readonly [RateLimit, source: string])[]): Promise<void> {
  const counted = tries.map(([limit, source]) => ({ limit, bucket: bucketOf(limit, source) }));
  await rejectWithoutWriting(db, counted);
  const { retryAt, added } = await db.write(async (tx) => {
    const now = tx.now();
    const windows = [];
    for (const { limit, bucket } of counted) {
      const row = await lockWindow(tx, bucket, limit);
      if (isFull(row, limit, now)) return { retryAt: { now, at: row.ends_at }, added: 0 };
      windows.push({ limit, row });
    }
    for (const { limit, row } of windows) await countInWindow(tx, row, limit);
    return { retryAt: null, added: windows.filter(({ row }) => row.count === 0).length };
  });
  if (retryAt !== null) throw rateLimited(retryAt.now, retryAt.at);
  const total = (newWindows.get(db) ?? 0) + added;
  newWindows.set(db, total < NEW_WINDOWS_MAX ? total : 0);
  if (total >= NEW_WINDOWS_MAX) await db.write((tx) => tidyWindows(tx));
}

/** Counts one attempt against a limit, and returns whether there was room. */
export async function tryOnce(db: Db, limit: RateLimit, source: string): Promise<boolean> {
  try {
    await countTry(db, [[limit, source]]);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "RATE_LIMITED") return false;
    throw error;
  }
}

/**
 * Counts one attempt with the other changes of a transaction, and returns whether there was room. Other attempts of the same
 * source wait until `tx` ends.
 */
export async function tryOnceWith(tx: Tx, limit: RateLimit, source: string): Promise<boolean> {
  const row = await lockWindow(tx, bucketOf(limit, source), limit);
  if (isFull(row, limit, tx.now())) return false;
  await countInWindow(tx, row, limit);
  return true;
}

interface Window {
  bucket: string;
  ends_at: number;
  count: number;
}

async function countInWindow(tx: Tx, { bucket, ends_at, count }: Window, limit: RateLimit): Promise<void> {
  const now = tx.now();
  const isOver = ends_at <= now;
  await tx.query
    .updateTable("rate_windows")
    .set({ count: isOver ? 1 : count + 1, ends_at: isOver ? now + limit.windowMs : ends_at })
    .where("bucket", "=", bucket)
    .execute();
}

interface Counted {
  limit: RateLimit;
  bucket: string;
}

/** @throws ServiceError RATE_LIMITED */
async function rejectWithoutWriting(db: Db, counted: readonly Counted[]): Promise<void> {
  const buckets = counted.map(({ bucket }) => bucket);
  const rows = await db.query.selectFrom("rate_windows").selectAll().where("bucket", "in", buckets).execute();
  const now = db.now();
  for (const { limit, bucket } of counted) {
    const row = rows.find((one) => one.bucket === bucket);
    if (row !== undefined && isFull(row, limit, now)) throw rateLimited(now, row.ends_at);
  }
}

function isFull(row: Pick<Window, "ends_at" | "count">, limit: RateLimit, now: number): boolean {
  return row.ends_at > now && row.count >= limit.tries;
}

function rateLimited(now: number, endsAt: number): ServiceError {
  return new ServiceError("RATE_LIMITED", { retryAfter: Math.ceil((endsAt - now) / SECOND) });
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

/** Deletes windows that have ended, and of the others the oldest beyond the maximum. */
export async function tidyWindows(tx: Tx, max = WINDOWS_MAX): Promise<void> {
  await tx.query.deleteFrom("rate_windows").where("ends_at", "<=", tx.now()).execute();
  const surplus = tx.query.selectFrom("rate_windows").select("bucket").orderBy("ends_at", "desc").offset(max);
  await tx.query
    .deleteFrom("rate_windows")
    .where("bucket", "in", tx.dialect === "sqlite" ? surplus.limit(-1) : surplus)
    .execute();
}

/** Forgets the tries of a source. */
export async function clearTries(tx: Tx, limit: RateLimit, source: string): Promise<void> {
  await tx.query.deleteFrom("rate_windows").where("bucket", "=", bucketOf(limit, source)).execute();
}

/** Of a fixed length, whatever the source is made of. */
function bucketOf({ name }: RateLimit, source: string): string {
  return `${name}:${hash("sha256", source, "base64url")}`;
}

/** All sources that are no addresses share one limit, so that no text of a header is a way around it. */
const NO_ADDRESS = "no-address";

/**
 * Returns the source that shares a limit. For IPv6 it is the /64, which belongs to one household or server and has too many
 * addresses to count. Some proxies forward an address with its port, which differs with every connection.
 */
export function sourceOf(ip: string): string {
  const address = withoutPort(ip.trim()).split("%", 1)[0]!;
  if (isIP(address) === 0) return NO_ADDRESS;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** Reads `203.0.113.7:50123`, `[2001:db8::1]` and `[2001:db8::1]:50123`. */
function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}
