import { createHmac, hash, randomBytes } from "node:crypto";
import type { Db, Tx } from "../../db/database.ts";
import { ServiceError } from "../../errors.ts";
import { isOneOfSecrets, keyringOf, type SecretRoots } from "../../lib/keys.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";

/*
 * A challenge is random bytes, the time when it expires, and a signature over both, over what it is for, and over who asked
 * for it. So asking for one writes nothing, and every process knows it. Its use is stored, and happens once.
 */

/** How long a person has to answer. */
export const CHALLENGE_MS = 5 * MINUTE;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const HEAD_BYTES = RANDOM_BYTES + TIME_BYTES;

/** What a challenge is valid for, and for nothing else. */
export interface ChallengeUse {
  purpose: "register" | "sign_in" | "confirm";
  /** The session that asked for it. For a sign-in, the secret in the cookie of the browser that asked. */
  holder: string;
}

/** @param now - epoch milliseconds */
export function makeChallenge(roots: SecretRoots, use: ChallengeUse, now: number): string {
  const head = Buffer.concat([randomBytes(RANDOM_BYTES), Buffer.alloc(TIME_BYTES)]);
  head.writeUIntBE(Math.floor((now + CHALLENGE_MS) / SECOND), RANDOM_BYTES, TIME_BYTES);
  return Buffer.concat([head, sign(keyringOf(roots, "passkey").current, use, head)]).toString("base64url");
}

/**
 * Uses a challenge up. Of several uses at once, in any number of processes, only one succeeds.
 * @throws ServiceError PASSKEY_EXPIRED if it is not ours, not for this use, expired or used
 */
export async function takeChallenge(db: Db, roots: SecretRoots, use: ChallengeUse, challenge: string): Promise<void> {
  const expiresAt = expiryOf(roots, use, challenge);
  if (expiresAt === null || expiresAt <= db.now()) throw new ServiceError("PASSKEY_EXPIRED");
  const isFirst = await db.write(async (tx) => {
    const added = await tx.query
      .insertInto("passkey_challenges")
      .values({ hash: hash("sha256", challenge, "base64url"), expires_at: expiresAt })
      .onConflict((conflict) => conflict.doNothing())
      .returning("hash")
      .executeTakeFirst();
    return added !== undefined;
  });
  if (!isFirst) throw new ServiceError("PASSKEY_EXPIRED");
}

/** Deletes used challenges that have expired. */
export async function tidyChallenges(tx: Tx): Promise<void> {
  await tx.query.deleteFrom("passkey_challenges").where("expires_at", "<=", tx.now()).execute();
}

/** Returns when a challenge expires, in epoch milliseconds; null if it was not made for this use. */
function expiryOf(roots: SecretRoots, use: ChallengeUse, challenge: string): number | null {
  const bytes = Buffer.from(challenge, "base64url");
  // One spelling only: another one of the same bytes would count as unused.
  if (bytes.length <= HEAD_BYTES || bytes.toString("base64url") !== challenge) return null;
  const head = bytes.subarray(0, HEAD_BYTES);
  const given = bytes.subarray(HEAD_BYTES).toString("base64url");
  const expected = keyringOf(roots, "passkey").accepted.map((key) => sign(key, use, head).toString("base64url"));
  return isOneOfSecrets(given, expected) ? head.readUIntBE(RANDOM_BYTES, TIME_BYTES) * SECOND : null;
}

function sign(key: Buffer, { purpose, holder }: ChallengeUse, head: Buffer): Buffer {
  return createHmac("sha256", key).update(`${purpose}.${holder}.`).update(head).digest();
}
