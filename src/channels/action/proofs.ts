import { createHmac } from "node:crypto";
import type { Config } from "../../config.ts";
import { isOneOfSecrets, keyringOf, type KeyPurpose } from "../../lib/keys.ts";
import { HOUR } from "../../lib/time.ts";

interface Ctx {
  config: Config;
}

/** Base64url of 24 bytes. */
export const PROOF_CHARACTERS = 32;
/** A page that was opened longer ago is shown again before anything is taken from it. */
const NONCE_MAX_MS = 24 * HOUR;

/** Proves that this service has written `text`, for one purpose. */
export function proofOf({ config }: Ctx, purpose: KeyPurpose, text: string): string {
  return proofWith(keyringOf(config, purpose).current, text);
}

/** Whether this service has written `text` for this purpose, with one of the keys that are accepted now. */
export function isProof({ config }: Ctx, purpose: KeyPurpose, text: string, given: string): boolean {
  return isOneOfSecrets(
    given,
    keyringOf(config, purpose).accepted.map((key) => proofWith(key, text)),
  );
}

function proofWith(key: Uint8Array, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url").slice(0, PROOF_CHARACTERS);
}

/** Creates the nonce of a page. Its post proves that the page was opened. @param now - epoch milliseconds */
export function createNonce(ctx: Ctx, token: string, now: number): string {
  return `${now}.${proofOf(ctx, "nonce", `${token} ${now}`)}`;
}

/** Whether a page of this very link was made with it, and not too long ago. */
export function isNonce(ctx: Ctx, token: string, nonce: string, now: number): boolean {
  const made = Number(/^(\d{1,15})\./.exec(nonce)?.[1] ?? Number.NaN);
  const isMade =
    nonce.startsWith(`${made}.`) && isProof(ctx, "nonce", `${token} ${made}`, nonce.slice(`${made}.`.length));
  return isMade && now - made <= NONCE_MAX_MS;
}
