import { hash, hkdfSync, timingSafeEqual } from "node:crypto";

/** What a key is used for; each purpose has a key of its own, so that what one signs means nothing to another. */
export type KeyPurpose = "session" | "setup" | "sealing" | "link" | `${string}_link` | "nonce";

/** The 32-byte key for one purpose, the same on every replica. @param secretKey - `SERVICE_SECRET_KEY` */
export function deriveKey(secretKey: Uint8Array, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync("sha256", secretKey, "service-secret-v1", purpose, 32));
}

/** Compares secrets in a time that tells nothing: hashed first, so that lengths do not show either. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", expected, "buffer"));
}
