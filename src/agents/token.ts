import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { AGENT_TOKEN_START } from "../people/agent-caller.ts";

/**
 * Tokens of agents: a start that secret scanners recognize, 256 random bits in base64url, and a checksum of both in base 36. A
 * mistyped token is refused without a query. What is stored is the hash.
 */
const SECRET_BYTES = 32;
const CHECKSUM_LENGTH = 7;
/** Characters that tables and pages show, so that people can tell tokens apart. */
const SHOWN_CHARACTERS = AGENT_TOKEN_START.length + 5;

export function newAgentToken(): string {
  return withChecksum(randomBytes(SECRET_BYTES));
}

/** @param secret - 32 bytes */
export function withChecksum(secret: Uint8Array): string {
  const text = AGENT_TOKEN_START + Buffer.from(secret).toString("base64url");
  return text + checksumOf(text);
}

/** Returns whether this has the form of a token, checksum included. */
export function isAgentToken(token: string): boolean {
  const text = token.slice(0, -CHECKSUM_LENGTH);
  return token.startsWith(AGENT_TOKEN_START) && token === text + checksumOf(text);
}

export function hashOfToken(token: string): string {
  return hash("sha256", token, "hex");
}

export function prefixOf(token: string): string {
  return token.slice(0, SHOWN_CHARACTERS);
}

function checksumOf(text: string): string {
  return crc32(text).toString(36).padStart(CHECKSUM_LENGTH, "0");
}
