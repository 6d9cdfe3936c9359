import { HumanTaskError } from "./errors.ts";
import type { JsonObject } from "./json.ts";

/** The body of a callback. (spec: Events, Callback webhook) */
export interface Callback {
  task_id: string;
  idempotency_key: string;
  status: "completed" | "timed_out" | "cancelled" | "verification_exhausted";
  response: JsonObject | null;
  completed_at: string | null;
  timed_out_at: string | null;
  completed_by_email: string | null;
  completed_via_channel: string | null;
  verification_attempt: number;
  cancelled_at: string | null;
  /** Email of the operator who cancelled; null for the admin token. */
  cancelled_by: string | null;
  cancel_reason: string | null;
}

/**
 * The key that verifies callbacks, in base64 or base64url: the service's SERVICE_PAYLOAD_KEY, or the webhook key that is
 * derived from it and that `service webhook-key` prints. Receivers need only the webhook key.
 */
export type CallbackKey = string | { readonly webhookKey: string | undefined } | undefined;

type GivenHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads a callback, once its signature was checked. The same task may be called back more than once: keep what was done for
 * a `task_id`, and answer 2xx to the next one. (spec: Events, Signature)
 *
 * @param rawBody - the bytes as they came; a body that a framework has parsed cannot be checked
 * @throws HumanTaskError CALLBACK_NOT_RAW, CALLBACK_KEY, CALLBACK_UNSIGNED, CALLBACK_FORGED
 */
export async function verifyCallback(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: GivenHeaders,
  key: CallbackKey,
): Promise<Callback> {
  const body = bytesOf(rawBody);
  const given = headerOf(headers, "x-service-signature");
  const hex = /^sha256=([0-9a-f]{64})$/.exec(given ?? "")?.[1];
  if (hex === undefined)
    throw new HumanTaskError(
      "CALLBACK_UNSIGNED",
      `The header X-Service-Signature is ${given === undefined ? "missing" : "not sha256= and 64 hex digits"}: the service did not send this, or a proxy removed the header.`,
    );
  const signature = Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16));
  if (!(await crypto.subtle.verify("HMAC", await signingKey(key, "verify"), signature, body)))
    throw new HumanTaskError(
      "CALLBACK_FORGED",
      "The signature does not match the body and the key. Check the key, and pass the body unchanged.",
    );
  return JSON.parse(new TextDecoder().decode(body)) as Callback;
}

export interface HandlerOptions {
  /** Larger bodies are refused with 413 before they are read; 4 MiB when it is left out. */
  maxBytes?: number;
}

/** Does what a callback is for. What it throws is answered with 5xx, and the service calls back again, later. */
type Act = (callback: Callback) => unknown;

/**
 * A handler for frameworks that speak Fetch, such as Hono, Next.js, Deno, Bun or Cloudflare Workers. 204 once `act` has
 * returned, 401 for what is not signed; it rejects with what `act` throws.
 * @throws HumanTaskError CALLBACK_KEY
 */
export function callbackHandler(
  key: CallbackKey,
  act: Act,
  { maxBytes = MAX_BYTES }: HandlerOptions = {},
): (request: Request) => Promise<Response> {
  keyBytes(key);
  return async (request) => {
    const { status, text } = await answer(request.body, request.headers, key, act, maxBytes);
    return new Response(text, { status });
  };
}

/** A request of Node's `http`, Express and similar. */
export interface IncomingCallback extends AsyncIterable<unknown> {
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** From `express.raw({ type: "application/json" })`, where that was first. */
  body?: unknown;
  /** As some hosts keep it beside the parsed one. */
  rawBody?: unknown;
}

export interface CallbackAnswer {
  statusCode: number;
  end(text?: string): unknown;
}

/**
 * The same for Node's `http` and for Express, before any parser or with the raw body. It never rejects: what goes wrong goes
 * to `next`, where there is one; else it is answered with 500 and shown in the console.
 * @throws HumanTaskError CALLBACK_KEY
 */
export function nodeCallbackHandler(key: CallbackKey, act: Act, { maxBytes = MAX_BYTES }: HandlerOptions = {}) {
  keyBytes(key);
  return async (
    request: IncomingCallback,
    response: CallbackAnswer,
    next?: (error: unknown) => void,
  ): Promise<void> => {
    try {
      const body = request.rawBody ?? request.body ?? request;
      const { status, text } = await answer(body as Body, request.headers, key, act, maxBytes);
      response.statusCode = status;
      response.end(text ?? undefined);
    } catch (error) {
      if (next !== undefined) {
        next(error);
        return;
      }
      console.error(error);
      response.statusCode = 500;
      response.end();
    }
  };
}

const MAX_BYTES = 4 * 1024 * 1024;

type Body = AsyncIterable<unknown> | string | Uint8Array | null;

async function answer(
  given: Body,
  headers: GivenHeaders,
  key: CallbackKey,
  act: Act,
  maxBytes: number,
): Promise<{ status: number; text: string | null }> {
  const body = await read(given, maxBytes);
  if (body === null) return { status: 413, text: `More than ${maxBytes} bytes.` };
  let callback: Callback;
  try {
    callback = await verifyCallback(body, headers, key);
  } catch (error) {
    const { statusCode, message } = error as HumanTaskError;
    if (statusCode === undefined) throw error;
    return { status: statusCode, text: message };
  }
  await act(callback);
  return { status: 204, text: null };
}

/** null: longer than it may be. What is not a stream is given back as it is. */
async function read(body: Body, maxBytes: number): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  if (typeof body === "string" || body instanceof Uint8Array || !(Symbol.asyncIterator in body))
    return body as Uint8Array;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(bytesOf(chunk));
    length += chunks.at(-1)!.byteLength;
    if (length > maxBytes) return null;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

/** @throws HumanTaskError CALLBACK_NOT_RAW */
function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
  throw new HumanTaskError(
    "CALLBACK_NOT_RAW",
    'The body was parsed already, and the signature is over its bytes. Read them first: await request.text(), or express.raw({ type: "application/json" }).',
  );
}

function headerOf(headers: GivenHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : found?.[0];
}

/** The key that signs: derived from the payload key, which itself never signs anything. @throws HumanTaskError CALLBACK_KEY */
export async function signingKey(key: CallbackKey, use: "sign" | "verify") {
  const bytes = keyBytes(key);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  if (typeof key !== "string") return crypto.subtle.importKey("raw", bytes, hmac, false, [use]);
  const root = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  const ascii = (text: string) => new TextEncoder().encode(text);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: ascii("service-webhook-v1"), info: ascii("v1") };
  return crypto.subtle.deriveKey(hkdf, root, { ...hmac, length: KEY_BYTES * 8 }, false, [use]);
}

const KEY_BYTES = 32;

/** @throws HumanTaskError CALLBACK_KEY */
function keyBytes(key: CallbackKey): Uint8Array<ArrayBuffer> {
  const text = (typeof key === "string" ? key : key?.webhookKey) ?? "";
  let bytes = "";
  try {
    bytes = atob(text.trim().replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    // Said below: it has no 32 bytes.
  }
  if (bytes.length !== KEY_BYTES)
    throw new HumanTaskError(
      "CALLBACK_KEY",
      "The key is missing or not 32 bytes in base64. Pass the service's SERVICE_PAYLOAD_KEY, or { webhookKey } from `service webhook-key`.",
    );
  return Uint8Array.from(bytes, (char) => char.charCodeAt(0));
}
