import { createHmac, hash, hkdfSync, timingSafeEqual } from "node:crypto";

/** What a key is used for; each purpose has a key of its own, so that what one signs means nothing to another. */
export type KeyPurpose =
  | "session"
  | "device"
  | "passkey"
  | "setup"
  | "local_agent"
  | "oidc"
  | "mcp_state"
  | "sealing"
  | "link"
  | `${string}_link`
  | "nonce"
  | "push"
  | "fingerprint";

/** The roots that keys are derived from: `SERVICE_SECRET_KEY`, and the one that is accepted beside it during a rotation. */
export interface SecretRoots {
  secretKey: Uint8Array;
  previous: { secretKey: Uint8Array | null };
}

/** The 32-byte keys for one purpose, the same on every replica. */
export interface Keyring {
  /** Makes everything new. */
  current: Buffer;
  /** Each of them verifies. During a rotation there are two; the current key is the first. */
  accepted: readonly Buffer[];
}

/** Returns the only way to a key, so that no use of one can forget that keys are rotated. */
export function keyringOf({ secretKey, previous }: SecretRoots, purpose: KeyPurpose): Keyring {
  const current = deriveKey(secretKey, purpose);
  return {
    current,
    accepted: previous.secretKey === null ? [current] : [current, deriveKey(previous.secretKey, purpose)],
  };
}

function deriveKey(root: Uint8Array, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync("sha256", root, "service-secret-v1", purpose, 32));
}

const FINGERPRINT_CHARACTERS = 16;

/**
 * Names a value without showing it, so that two processes or two starts can be compared. Only the holder of the secret key can
 * try values, so it is safe for tokens that people chose.
 * @param key - of the purpose "fingerprint"
 */
export function fingerprint(key: Buffer, value: string | Uint8Array): string {
  return createHmac("sha256", key).update(value).digest("hex").slice(0, FINGERPRINT_CHARACTERS);
}

/** The fingerprint of the current secret key, or of the one that is accepted beside it. */
export function secretKeyFingerprints(roots: SecretRoots): { current: string; previous: string | null } {
  const [current, previous] = keyringOf(roots, "fingerprint").accepted.map((key) => fingerprint(key, "secret_key"));
  return { current: current!, previous: previous ?? null };
}

/** Compares secrets in constant time. They are hashed first, so that the time does not reveal lengths either. */
export function isSameSecret(given: string, expected: string): boolean {
  return secretCheck(expected)(given);
}

/** Returns what `isSameSecret` does, for a secret that does not change: its own hash is made once. */
export function secretCheck(expected: string): (given: string) => boolean {
  const hashed = hash("sha256", expected, "buffer");
  return (given) => timingSafeEqual(hash("sha256", given, "buffer"), hashed);
}

/** Whether `given` is one of the secrets. Compares with each of them, so that the time does not tell which one it is. */
export function isOneOfSecrets(given: string, expected: readonly string[]): boolean {
  return expected.map((secret) => isSameSecret(given, secret)).includes(true);
}
