import { createHmac } from "node:crypto";
import type { Config } from "../../config.ts";
import { deriveKey, isSameSecret, type KeyPurpose } from "../../lib/keys.ts";
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
  const mac = createHmac("sha256", deriveKey(config.secretKey, purpose)).update(text).digest("base64url");
  return mac.slice(0, PROOF_CHARACTERS);
}

/** Creates the nonce of a page. Its post proves that the page was opened. @param now - epoch milliseconds */
export function createNonce(ctx: Ctx, token: string, now: number): string {
  return `${now}.${proofOf(ctx, "nonce", `${token} ${now}`)}`;
}

/** Whether a page of this very link was made with it, and not too long ago. */
export function isNonce(ctx: Ctx, token: string, nonce: string, now: number): boolean {
  const made = Number(/^(\d{1,15})\./.exec(nonce)?.[1] ?? Number.NaN);
  return now - made <= NONCE_MAX_MS && isSameSecret(nonce, createNonce(ctx, token, made));
}
