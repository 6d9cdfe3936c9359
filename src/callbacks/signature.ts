import { createHmac, hkdfSync } from "node:crypto";
import { standardHeaders, type WebhookAttempt } from "../lib/standard-webhooks.ts";

const KEY_BYTES = 32;

/** The `v1` in both names is the version of this derivation. (spec: Versioning) */
const SALT = "service-webhook-v1";
const INFO = "v1";

/**
 * Returns the 32-byte key that signs callbacks. The payload key itself never signs anything. (spec: Events, Signature)
 *
 * @param payloadKey - the 32 raw bytes of `SERVICE_PAYLOAD_KEY`
 * @throws RangeError when the payload key has another length
 */
export function deriveCallbackKey(payloadKey: Uint8Array): Buffer {
  if (payloadKey.byteLength !== KEY_BYTES) {
    throw new RangeError(`The payload key must have ${KEY_BYTES} bytes, not ${payloadKey.byteLength}.`);
  }
  return Buffer.from(hkdfSync("sha256", payloadKey, SALT, INFO, KEY_BYTES));
}

/**
 * Returns the function that makes the value of `X-Service-Signature` from the raw body bytes. The key is derived once, and not
 * for each body. (spec: Events, Signature)
 *
 * @throws RangeError when the payload key does not have 32 bytes
 */
export function createSigner(payloadKey: Uint8Array): (body: Uint8Array) => string {
  const key = deriveCallbackKey(payloadKey);
  return (body) => `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
}

/** The payload keys of a service that sends callbacks. */
interface PayloadKeys {
  payloadKey: Uint8Array;
  previous: { payloadKey: Uint8Array | null };
}

/** Returns the headers that sign one attempt. */
export type SignAttempt = (attempt: WebhookAttempt) => Record<string, string>;

/**
 * Returns the function that signs attempts, in two ways: `X-Service-Signature` over the body (spec: Events), and the headers of
 * Standard Webhooks, whose signature also covers the id and the time. Both use the derived key.
 *
 * During a rotation, `webhook-signature` has a signature of each key. `X-Service-Signature` has room for one, which is that of
 * the previous key: receivers that check it know that key, and may not know the current one yet. It changes when the
 * previous key is removed.
 *
 * @throws RangeError when a payload key does not have 32 bytes
 */
export function createAttemptSigner({ payloadKey, previous }: PayloadKeys): SignAttempt {
  const keys = callbackKeysOf({ payloadKey, previous });
  const sign = createSigner(previous.payloadKey ?? payloadKey);
  return (attempt) => ({ "X-Service-Signature": sign(attempt.body), ...standardHeaders(keys, attempt) });
}

/** Returns the keys that receivers verify with. The current one is the first; during a rotation there are two. */
export function callbackKeysOf({ payloadKey, previous }: PayloadKeys): Buffer[] {
  return [payloadKey, previous.payloadKey].filter((key) => key !== null).map(deriveCallbackKey);
}
