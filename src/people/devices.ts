import { createHmac, randomBytes } from "node:crypto";
import { stringifySetCookie } from "cookie";
import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { isOneOfSecrets, isSameSecret, keyringOf, type SecretRoots } from "../lib/keys.ts";
import { DAY, MINUTE, SECOND } from "../lib/time.ts";
import { countTry, type RateLimit } from "./rate-limits.ts";
import { readCookie } from "./sessions.ts";

/*
 * A browser in which a person has signed in keeps a device cookie. Its attempts to sign in as that person have a limit of
 * their own, so that strangers who use up the limits of an email or an address do not lock the person out. (OWASP: device
 * cookies)
 */

export const DEVICE_COOKIE = "service_device";
/** The cookie is sent only to these routes. */
const PATH = "/api/auth";
/** A device is forgotten this long after the last sign-in. */
const LIFE_MS = 180 * DAY;
const ID_BYTES = 16;
/** A device that fails more often counts as a stranger until the window ends. */
export const LOGIN_BY_DEVICE: RateLimit = { name: "login-device", tries: 10, windowMs: 5 * MINUTE };

/** Makes and recognizes device cookies. */
export interface Devices {
  /**
   * Returns the id of the device if its cookie says that this user has signed in there, else null.
   * @param now - epoch milliseconds
   */
  recognize(cookieHeader: string | undefined, userId: string, now: number): string | null;
  /** Returns the header value that makes a browser a device of this user. @param id - null: a new device */
  remember(id: string | null, userId: string, now: number): string;
  /**
   * Returns the header value that signs a device cookie of this user with the current key, if the previous key signed it; else
   * null. The device is forgotten at the same time as before.
   */
  renew(cookieHeader: string | undefined, userId: string, now: number): string | null;
}

/** A cookie holds a random id, the time of the sign-in in seconds, and a signature over both and the user. */
export function createDevices(config: SecretRoots & Pick<Config, "publicUrl">): Devices {
  const { current, accepted } = keyringOf(config, "device");
  const secure = config.publicUrl.startsWith("https:");
  const sign = (key: Buffer, userId: string, id: string, at: string) =>
    createHmac("sha256", key).update(`${userId}.${id}.${at}`).digest("base64url");

  const read = (cookieHeader: string | undefined, userId: string, now: number) => {
    const [id, at, signature, ...more] = readCookie(cookieHeader ?? "", DEVICE_COOKIE)?.split(".") ?? [];
    if (id === undefined || at === undefined || signature === undefined || more.length > 0) return null;
    const expected = accepted.map((key) => sign(key, userId, id, at));
    if (!isOneOfSecrets(signature, expected)) return null;
    const leftMs = Number(at) * SECOND + LIFE_MS - now;
    return leftMs > 0 ? { id, at, leftMs, isCurrent: isSameSecret(signature, expected[0]!) } : null;
  };
  const make = (id: string, userId: string, at: string, lifeMs: number) =>
    stringifySetCookie({
      name: DEVICE_COOKIE,
      value: `${id}.${at}.${sign(current, userId, id, at)}`,
      httpOnly: true,
      sameSite: "strict",
      path: PATH,
      secure,
      maxAge: Math.floor(lifeMs / SECOND),
    });

  return {
    recognize: (cookieHeader, userId, now) => read(cookieHeader, userId, now)?.id ?? null,
    remember: (id, userId, now) =>
      make(id ?? randomBytes(ID_BYTES).toString("base64url"), userId, String(Math.floor(now / SECOND)), LIFE_MS),
    renew: (cookieHeader, userId, now) => {
      const found = read(cookieHeader, userId, now);
      return found === null || found.isCurrent ? null : make(found.id, userId, found.at, found.leftMs);
    },
  };
}

/** A limit, and the source that an attempt counts for. */
export type Bucket = readonly [RateLimit, source: string];

/**
 * Counts an attempt to give a person's password: for their device if they use one, else for strangers. A device that has
 * reached its limit counts as a stranger.
 *
 * @returns where it was counted
 * @throws ServiceError RATE_LIMITED
 */
export async function countPasswordTry(
  db: Db,
  device: string | null,
  strangers: readonly Bucket[],
): Promise<readonly Bucket[]> {
  if (device !== null) {
    const own = [[LOGIN_BY_DEVICE, device]] as const;
    if (await isCounted(db, own)) return own;
  }
  await countTry(db, strangers);
  return strangers;
}

/** @returns false if the limit is reached */
async function isCounted(db: Db, buckets: readonly Bucket[]): Promise<boolean> {
  try {
    await countTry(db, buckets);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "RATE_LIMITED") return false;
    throw error;
  }
}
