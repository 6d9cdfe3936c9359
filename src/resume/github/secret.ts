import { createPrivateKey, createSign, type KeyObject } from "node:crypto";
import { MINUTE, SECOND } from "../../lib/time.ts";

/** GitHub makes keys of this size. RS256 wants no smaller one. (RFC 7518, 3.3) */
const KEY_BITS_MIN = 2048;
/** The private key as GitHub offers it for download, and what follows it. */
const PARTS = /^\s*(-----BEGIN ((?:RSA )?PRIVATE KEY)-----[^-]+-----END \2-----)([^]*)$/;

/** The two parts of the secret of a connection. */
export interface AppSecret {
  /** Signs in as the app. */
  privateKey: KeyObject;
  /** Signs what GitHub sends; null: the connection takes no webhooks. */
  webhookSecret: string | null;
}

/**
 * Reads the secret of a connection: the private key in PEM, then on a line of its own the webhook secret, if there is one.
 * @returns its parts, or what is wrong, as a sentence
 */
export function readSecret(secret: string): AppSecret | string {
  const parts = PARTS.exec(secret);
  if (parts === null)
    return "The secret must begin with the private key of the app, as the .pem file from GitHub has it.";
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(parts[1]!);
  } catch {
    return "The private key cannot be read. Is the .pem file whole?";
  }
  const bits = privateKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (privateKey.asymmetricKeyType !== "rsa" || bits < KEY_BITS_MIN)
    return `The private key must be an RSA key of at least ${KEY_BITS_MIN} bits.`;
  const webhookSecret = parts[3]!.trim();
  if (/[\r\n]/.test(webhookSecret)) return "After the private key there may be one line only: the webhook secret.";
  return { privateKey, webhookSecret: webhookSecret === "" ? null : webhookSecret };
}

/** GitHub refuses tokens that are valid for more than ten minutes, and its clock may be behind. */
const VALID_MS = 5 * MINUTE;
/** Its clock may also be ahead: it recommends this. */
const BACKDATED_MS = MINUTE;

/**
 * Returns a JSON Web Token that signs in as an app. (GitHub: "Generating a JSON Web Token (JWT) for a GitHub App")
 * @param issuer - client id or id of the app
 * @param now - epoch milliseconds
 */
export function appToken(privateKey: KeyObject, issuer: string, now: number): string {
  const seconds = (ms: number) => Math.floor(ms / SECOND);
  const claims = { iat: seconds(now - BACKDATED_MS), exp: seconds(now + VALID_MS), iss: issuer };
  const signed = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url")}`;
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
