import { createECDH, hash } from "node:crypto";
import { HOUR, SECOND } from "../lib/time.ts";
import { keyringOf, type SecretRoots } from "../lib/keys.ts";

/*
 * How push services know us: each request is signed with a key that the browser was given when its person chose to be told
 * (VAPID, RFC 8292). The key follows from the secret key, so that every replica has it and none stores it.
 */

/** A pair of keys of the curve P-256. */
export interface PushKey {
  /** Names it in a row. */
  id: string;
  /** As browsers take it: an uncompressed point, in base64url. */
  publicKey: string;
  privateKey: Buffer;
}

/** How long a signature is good. Push services refuse more than a day. */
const LIFETIME_MS = 12 * HOUR;
const ID_CHARACTERS = 16;

/** Returns the key that browsers get now, and during a rotation the one that others still have. */
export function pushKeys(roots: SecretRoots): PushKey[] {
  return keyringOf(roots, "push").accepted.map(toPushKey);
}

function toPushKey(seed: Buffer): PushKey {
  const pair = createECDH("prime256v1");
  // About one in four billion seeds is no private key of the curve.
  for (let privateKey = seed; ; privateKey = hash("sha256", privateKey, "buffer")) {
    try {
      pair.setPrivateKey(privateKey);
    } catch {
      continue;
    }
    const publicKey = pair.getPublicKey();
    const id = hash("sha256", publicKey, "hex").slice(0, ID_CHARACTERS);
    return { id, publicKey: publicKey.toString("base64url"), privateKey };
  }
}

/**
 * Returns the header `Authorization` of a request to a push service.
 * @param endpoint - where the request goes; the signature is good for its origin
 * @param contact - a URL of this service, for the operators of the push service
 * @param now - epoch milliseconds, of a clock that others share
 */
export async function authorization(
  key: PushKey,
  { endpoint, contact, now }: { endpoint: string; contact: string; now: number },
): Promise<string> {
  // Loaded when it is needed: most services tell no browser anything.
  const { importJWK, SignJWT } = await import("jose");
  const point = Buffer.from(key.publicKey, "base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
    d: key.privateKey.toString("base64url"),
  };
  const token = await new SignJWT({ aud: new URL(endpoint).origin, sub: contact })
    .setProtectedHeader({ alg: "ES256", typ: "JWT" })
    .setExpirationTime(Math.floor((now + LIFETIME_MS) / SECOND))
    .sign(await importJWK(jwk, "ES256"));
  return `vapid t=${token}, k=${key.publicKey}`;
}
