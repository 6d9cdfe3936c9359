import type { Config } from "../../config.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { PasskeyRow } from "../../db/schema.ts";
import { ServiceError } from "../../errors.ts";
import { recordSecurityEvent } from "../../security/record.ts";
import { actorOfUser } from "../actor.ts";
import type { User } from "../store.ts";
import { CHALLENGE_MS, makeChallenge, takeChallenge, type ChallengeUse } from "./challenge.ts";
import type { PasskeyAnswer } from "./schema.ts";
import { requireSite, siteOf } from "./site.ts";
import { passkeysOf, updatePasskey } from "./store.ts";
import { describeCredential } from "./passkeys.ts";
import { readClientData, requireOurAnswer, verifySignature } from "./verify.ts";

interface UseContext {
  config: Config;
  db: Db;
}

/**
 * Returns the options with which a browser asks for a passkey; null if passkeys cannot be used at the public URL.
 * @param allowed - with an empty list, any passkey for this host that the person chooses
 */
export function requestOptions(
  { config, db }: UseContext,
  use: ChallengeUse,
  allowed: readonly PasskeyRow[],
): object | null {
  const site = siteOf(config);
  if (site === null) return null;
  return {
    challenge: makeChallenge(config, use, db.now()),
    rpId: site.rpId,
    timeout: CHALLENGE_MS,
    userVerification: "required",
    allowCredentials: allowed.map(describeCredential),
  };
}

/**
 * Checks the answer of a passkey, except for its counter, and uses the challenge up.
 *
 * @param passkey - the one with the id of the answer; null if there is none
 * @returns the passkey, and the counter in its answer
 * @throws ServiceError PASSKEYS_UNAVAILABLE, PASSKEY_EXPIRED, PASSKEY_OTHER_SITE, PASSKEY_NOT_VERIFIED,
 *   PASSKEY_NOT_ACCEPTED, VALIDATION_FAILED
 */
export async function checkAnswer(
  { config, db }: UseContext,
  use: ChallengeUse,
  answer: PasskeyAnswer,
  passkey: PasskeyRow | null,
): Promise<{ passkey: PasskeyRow; counter: number }> {
  const site = requireSite(config);
  const data = readClientData(answer);
  await takeChallenge(db, config, use, data.challenge);
  requireOurAnswer(site, answer, data);
  if (passkey === null || passkey.rp_id !== site.rpId || !isOwner(answer, passkey, use))
    throw new ServiceError("PASSKEY_NOT_ACCEPTED");
  return { passkey, counter: await verifySignature(site, answer, data, passkey) };
}

/** Who signs in is known from the passkey alone, so it must say whose it is. Elsewhere it may leave that out. */
function isOwner({ response }: PasskeyAnswer, { user_id }: PasskeyRow, { purpose }: ChallengeUse): boolean {
  if (response.userHandle == null) return purpose !== "sign_in";
  return response.userHandle === Buffer.from(user_id).toString("base64url");
}

/**
 * Notes that a passkey was used. A counter that went back means that somebody may have copied the passkey.
 *
 * @param user - who is locked
 * @returns false if the counter went back. Nothing is stored then but an event: reject the use after the commit.
 * @throws ServiceError PASSKEY_NOT_ACCEPTED if the passkey was removed
 */
export async function noteUse(tx: Tx, user: User, { id }: PasskeyRow, counter: number): Promise<boolean> {
  const now = (await passkeysOf(tx, user.id)).find((one) => one.id === id);
  if (now === undefined) throw new ServiceError("PASSKEY_NOT_ACCEPTED");
  // Devices that do not count always say 0.
  if (counter <= now.counter && (counter > 0 || now.counter > 0)) {
    await recordSecurityEvent(tx, {
      type: "passkey_counter_regressed",
      outcome: "failure",
      reason: "PASSKEY_NOT_ACCEPTED",
      target: { kind: "user", id: user.id },
      actor: actorOfUser(user),
      details: { email: user.email, passkey: now.name, counter, counter_before: now.counter },
    });
    return false;
  }
  await updatePasskey(tx, id, { counter, last_used_at: tx.now() });
  return true;
}
