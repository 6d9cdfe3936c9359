import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const SECRET_BYTES = 32;
const CHECKSUM_LENGTH = 7;
/** Characters of the secret that tables and pages show, so that people can tell tokens apart. */
const SHOWN_CHARACTERS = 5;

/** One kind of token. Only the hash of a token is stored. */
export interface TokenKind {
  create(): string;
  /** Creates the token of a secret of 32 bytes. */
  withSecret(secret: Uint8Array): string;
  /** Returns whether a text has the form of such a token, checksum included. */
  isOne(text: string): boolean;
  /** Returns the first characters of a token. */
  prefixOf(token: string): string;
}

/**
 * Returns a kind of token: a start that secret scanners recognize, 256 random bits in base64url, and a checksum of both in
 * base 36. A mistyped token is refused without a query.
 */
export function tokenKind(start: string): TokenKind {
  const withSecret = (secret: Uint8Array) => {
    const text = start + Buffer.from(secret).toString("base64url");
    return text + checksumOf(text);
  };
  return {
    create: () => withSecret(randomBytes(SECRET_BYTES)),
    withSecret,
    isOne: (text) => {
      const signed = text.slice(0, -CHECKSUM_LENGTH);
      return text.startsWith(start) && text === signed + checksumOf(signed);
    },
    prefixOf: (token) => token.slice(0, start.length + SHOWN_CHARACTERS),
  };
}

export function hashOfToken(token: string): string {
  return hash("sha256", token, "hex");
}

function checksumOf(text: string): string {
  return crc32(text).toString(36).padStart(CHECKSUM_LENGTH, "0");
}
