import { hash } from "node:crypto";
import type { PasskeyRow } from "../../db/schema.ts";
import { invalid, ServiceError } from "../../errors.ts";
import { isJsonObject } from "../../lib/json.ts";
import { onFirstUse } from "../../lib/on-first-use.ts";
import type { NewCredential, PasskeyAnswer } from "./schema.ts";
import type { Site } from "./site.ts";

/*
 * What a browser sent is read here as far as its errors need words of their own: another site, no user verification. Keys and
 * signatures are the library's. It is loaded when a passkey is first added or used: it takes 0.2 seconds and 28 MB.
 */
const library = onFirstUse(() => {
  const loaded = Promise.all([import("@simplewebauthn/server"), import("@simplewebauthn/server/helpers")]);
  return async () => loaded;
});

/** EdDSA, ES256 and RS256, which between them every device has. (COSE) */
export const ALGORITHMS = [-8, -7, -257] as const;

/** What a browser says that it was asked, and by which page. */
export interface ClientData {
  type: string;
  challenge: string;
  origin: string;
  isCrossOrigin: boolean;
}

/** @throws ServiceError VALIDATION_FAILED */
export function readClientData({ response }: NewCredential | PasskeyAnswer): ClientData {
  const data = parseJson(Buffer.from(response.clientDataJSON, "base64url").toString());
  if (!isJsonObject(data)) throw malformed();
  const { type, challenge, origin, crossOrigin } = data;
  if (typeof type !== "string" || typeof challenge !== "string" || typeof origin !== "string") throw malformed();
  return { type, challenge, origin, isCrossOrigin: crossOrigin === true };
}

/** What is stored of a new credential. */
export type VerifiedCredential = Pick<PasskeyRow, "credential_id" | "public_key" | "counter" | "transports">;

/**
 * Checks a new credential, whose challenge was checked before.
 * @throws ServiceError PASSKEY_OTHER_SITE, PASSKEY_NOT_VERIFIED, VALIDATION_FAILED
 */
export async function verifyNewCredential(
  site: Site,
  credential: NewCredential,
  data: ClientData,
): Promise<VerifiedCredential> {
  requireOurPage(site, data, "webauthn.create");
  const [{ verifyRegistrationResponse }, { decodeAttestationObject }] = await library();
  try {
    const attestation = decodeAttestationObject(bytesOf(credential.response.attestationObject));
    requireOurDevice(site, attestation.get("authData"));
    // None was asked for. Checking the certificates of others would let a caller choose addresses that the library asks.
    const format: string = attestation.get("fmt");
    const isPlain = format === "none" || (format === "packed" && attestation.get("attStmt").get("x5c") === undefined);
    if (!isPlain) throw malformed("Is attested, which was not asked for.");
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...credential, type: "public-key", clientExtensionResults: {} } as never,
      expectedChallenge: data.challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rpId,
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    if (!verified || registrationInfo.credential.id !== credential.id) throw malformed();
    const { id, publicKey, counter } = registrationInfo.credential;
    return {
      credential_id: id,
      public_key: Buffer.from(publicKey).toString("base64url"),
      counter,
      transports: JSON.stringify(credential.response.transports ?? []),
    };
  } catch (error) {
    throw error instanceof ServiceError ? error : malformed(undefined, error);
  }
}

/**
 * Checks what does not depend on the passkey, so that the errors tell nothing of it.
 * @throws ServiceError PASSKEY_OTHER_SITE, PASSKEY_NOT_VERIFIED, VALIDATION_FAILED
 */
export function requireOurAnswer(site: Site, answer: PasskeyAnswer, data: ClientData): void {
  requireOurPage(site, data, "webauthn.get");
  requireOurDevice(site, bytesOf(answer.response.authenticatorData));
}

/**
 * Checks the signature of a passkey over an answer of which everything else was checked before.
 * @returns the sign counter, which is checked where the passkey is locked
 * @throws ServiceError PASSKEY_NOT_ACCEPTED
 */
export async function verifySignature(
  site: Site,
  answer: PasskeyAnswer,
  { challenge }: ClientData,
  passkey: PasskeyRow,
): Promise<number> {
  const [{ verifyAuthenticationResponse }] = await library();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...answer, type: "public-key", clientExtensionResults: {} } as never,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rpId,
      // The library would look at the counter before the signature, and so believe anybody.
      credential: { id: passkey.credential_id, publicKey: bytesOf(passkey.public_key), counter: 0 },
    });
    if (verified) return authenticationInfo.newCounter;
  } catch (cause) {
    throw new ServiceError("PASSKEY_NOT_ACCEPTED", { cause });
  }
  throw new ServiceError("PASSKEY_NOT_ACCEPTED");
}

/** @throws ServiceError PASSKEY_OTHER_SITE, VALIDATION_FAILED */
function requireOurPage({ origin }: Site, data: ClientData, type: string): void {
  if (data.type !== type) throw malformed("Is the answer to another question.");
  if (data.origin !== origin || data.isCrossOrigin) throw otherSite(origin);
}

/** Of the data of an authenticator: the hash of the RP ID, then the flags, then four bytes of the counter. (WebAuthn) */
const RP_HASH_BYTES = 32;
const HEAD_BYTES = RP_HASH_BYTES + 1 + 4;
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;

/** @throws ServiceError PASSKEY_OTHER_SITE, PASSKEY_NOT_VERIFIED, VALIDATION_FAILED */
function requireOurDevice({ rpId, origin }: Site, data: Uint8Array): void {
  if (data.length < HEAD_BYTES) throw malformed();
  if (!hash("sha256", rpId, "buffer").equals(data.subarray(0, RP_HASH_BYTES))) throw otherSite(origin);
  const flags = data[RP_HASH_BYTES]!;
  if ((flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0) throw new ServiceError("PASSKEY_NOT_VERIFIED");
}

function otherSite(origin: string): ServiceError {
  return new ServiceError("PASSKEY_OTHER_SITE", {
    message: `This passkey was used at another address than that of the service. Open ${origin} and try again.`,
  });
}

function malformed(message = "Is not the answer of a passkey.", cause?: unknown): ServiceError {
  const error = invalid("/credential", message);
  error.cause = cause;
  return error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(undefined, error);
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64url, "base64url"));
}
