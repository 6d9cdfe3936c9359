import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

/** The options that the service returns for a browser. */
export interface PublicKeyOptions {
  challenge: string;
  rp?: { id: string };
  rpId?: string;
  user?: { id: string };
  allowCredentials?: { id: string }[];
  excludeCredentials?: { id: string }[];
}

/** What a browser or a device that is up to something does differently. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  /** What the browser says that it was asked. */
  type?: string;
  challenge?: string;
  crossOrigin?: boolean;
  isVerified?: boolean;
  counter?: number;
  userHandle?: string | null;
  /** Changes one bit of the signature. */
  isTampered?: boolean;
  /** The format of the attestation, with its statement as CBOR. Default: none. */
  attestation?: [format: string, statement: Buffer];
}

export interface CredentialJson {
  id: string;
  rawId: string;
  type: string;
  response: Record<string, unknown>;
}

/** A device with one passkey, and the browser that it is used with. */
export interface Authenticator {
  readonly id: string;
  /** Makes the passkey, as `navigator.credentials.create()` does. */
  create(options: PublicKeyOptions, deviation?: Deviation): CredentialJson;
  /** Uses the passkey, as `navigator.credentials.get()` does. Its counter goes up. */
  get(options: PublicKeyOptions, deviation?: Deviation): CredentialJson;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/**
 * @param origin - of the page that the browser shows
 * @param id - of the credential; default: a new one
 */
export function createAuthenticator(origin: string, id: Buffer = randomBytes(32)): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentialId = id.toString("base64url");
  let counter = 0;
  let userHandle: string | null = null;

  const clientData = (type: string, options: PublicKeyOptions, deviation: Deviation) =>
    Buffer.from(
      JSON.stringify({
        type: deviation.type ?? type,
        challenge: deviation.challenge ?? options.challenge,
        origin: deviation.origin ?? origin,
        crossOrigin: deviation.crossOrigin ?? false,
      }),
    );
  const head = (rpId: string, flags: number, deviation: Deviation) => {
    const verified = deviation.isVerified === false ? 0 : USER_VERIFIED;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(deviation.counter ?? counter);
    return Buffer.concat([sha256(deviation.rpId ?? rpId), Buffer.of(flags | USER_PRESENT | verified), count]);
  };
  const toJson = (response: Record<string, unknown>) => ({
    id: credentialId,
    rawId: credentialId,
    type: "public-key",
    response,
    clientExtensionResults: {},
    authenticatorAttachment: "platform",
  });

  return {
    id: credentialId,
    create: (options, deviation = {}) => {
      userHandle = options.user!.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const data = Buffer.concat([
        head(options.rp!.id, HAS_CREDENTIAL, deviation),
        Buffer.alloc(16),
        length,
        id,
        coseKey(publicKey),
      ]);
      const [format, statement] = deviation.attestation ?? ["none", map([])];
      const attestation = map([
        [text("fmt"), text(format)],
        [text("attStmt"), statement],
        [text("authData"), bytes(data)],
      ]);
      return toJson({
        clientDataJSON: clientData("webauthn.create", options, deviation).toString("base64url"),
        attestationObject: attestation.toString("base64url"),
        transports: ["internal"],
      });
    },
    get: (options, deviation = {}) => {
      counter++;
      const data = head(options.rpId!, 0, deviation);
      const client = clientData("webauthn.get", options, deviation);
      const signature = signWith(privateKey, Buffer.concat([data, sha256(client)]));
      if (deviation.isTampered === true) signature[signature.length - 1]! ^= 1;
      const handle = deviation.userHandle === undefined ? userHandle : deviation.userHandle;
      return toJson({
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signature.toString("base64url"),
        ...(handle !== null && { userHandle: handle }),
      });
    },
  };
}

function sha256(data: string | Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}

function signWith(key: KeyObject, data: Buffer): Buffer {
  return sign("sha256", data, key);
}

/** The key as COSE writes it: EC2, ES256, P-256. */
function coseKey(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: "jwk" });
  return map([
    [int(1), int(2)],
    [int(3), int(-7)],
    [int(-1), int(1)],
    [int(-2), bytes(Buffer.from(x!, "base64url"))],
    [int(-3), bytes(Buffer.from(y!, "base64url"))],
  ]);
}

// --- CBOR (RFC 8949), as much as is needed -----------------------------------------------------------------------------

function item(major: number, value: number): Buffer {
  if (value < 24) return Buffer.of((major << 5) | value);
  if (value < 256) return Buffer.of((major << 5) | 24, value);
  return Buffer.of((major << 5) | 25, value >> 8, value & 255);
}

function int(value: number): Buffer {
  return value < 0 ? item(1, -1 - value) : item(0, value);
}

export function bytes(value: Buffer): Buffer {
  return Buffer.concat([item(2, value.length), value]);
}

export function text(value: string): Buffer {
  return Buffer.concat([item(3, Buffer.byteLength(value)), Buffer.from(value)]);
}

export function list(values: readonly Buffer[]): Buffer {
  return Buffer.concat([item(4, values.length), ...values]);
}

export function map(entries: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([item(5, entries.length), ...entries.flat()]);
}
