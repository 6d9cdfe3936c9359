import { createHmac, hkdfSync } from "node:crypto";

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
 * Returns the function that signs a callback: from the raw body bytes it makes the value of `X-Service-Signature`. The key is
 * derived once, and not for each body. (spec: Events, Signature)
 *
 * @throws RangeError when the payload key does not have 32 bytes
 */
export function createSigner(payloadKey: Uint8Array): (body: Uint8Array) => string {
  const key = deriveCallbackKey(payloadKey);
  return (body) => `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
}
