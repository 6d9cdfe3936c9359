import { HumanTaskError } from "./errors.ts";

/*
 * What the service signs: callbacks and events. Where the headers of Standard Webhooks are, the signature covers the id, the time and the
 * body. The codes of errors are those of callbacks; `events.ts` gives them its own.
 */

export type Bytes = Uint8Array<ArrayBuffer>;

export type RawBody = string | Uint8Array | ArrayBuffer;

export type GivenHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Signed {
  bytes: Bytes;
  /** One of them must match. */
  signatures: Bytes[];
}

/** @throws HumanTaskError CALLBACK_FORGED if it was signed at another time */
export function readStandard(headers: GivenHeaders, signatures: string, body: Bytes): Signed {
  const seconds = headerOf(headers, "webhook-timestamp");
  if (!(Math.abs(Date.now() / 1000 - Number(seconds)) <= TOLERANCE_SECONDS))
    throw new HumanTaskError(
      "CALLBACK_FORGED",
      "It was not signed in the last 5 minutes. Check the clock of this machine.",
    );
  return {
    bytes: joined([bytesOf(`${headerOf(headers, "webhook-id")}.${seconds}.`), body]),
    // A sender has a signature for each of its keys, so there are few.
    signatures: signatures.split(" ", 8).flatMap((one) => (one.startsWith("v1,") ? bytesOfBase64(one.slice(3)) : [])),
  };
}

const TOLERANCE_SECONDS = 300;

export function headerOf(headers: GivenHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : found?.[0];
}

export function joined(chunks: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

/** @throws HumanTaskError CALLBACK_NOT_RAW */
export function bytesOf(body: unknown): Bytes {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return body as Bytes;
  throw new HumanTaskError(
    "CALLBACK_NOT_RAW",
    'The body was parsed already, and the signature is over its bytes. Read them first: await request.text(), or express.raw({ type: "application/json" }).',
  );
}

/** Of base64 or base64url; no bytes if it is neither. */
export function bytesOfBase64(text: string): Bytes {
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
