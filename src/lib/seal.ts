import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Keyring } from "./keys.ts";

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts `text` with AES-256-GCM, for a holder of the key and for one place only.
 * @param place - table, row and column; text that is sealed for one place cannot be used at another
 */
export function seal({ current }: Pick<Keyring, "current">, place: string, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", current, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** @returns null: sealed with a key that is not accepted or for another place, or damaged */
export function unseal({ accepted }: Pick<Keyring, "accepted">, place: string, sealed: string): string | null {
  for (const key of accepted) {
    const text = unsealWith(key, place, sealed);
    if (text !== null) return text;
  }
  return null;
}

function unsealWith(key: Uint8Array, place: string, sealed: string): string | null {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}
