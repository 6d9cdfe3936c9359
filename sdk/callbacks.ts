import { HumanTaskError } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import type { Comment } from "./shapes.ts";
import {
  bytesOf,
  bytesOfBase64,
  headerOf,
  joined,
  readStandard,
  type Bytes,
  type GivenHeaders,
  type RawBody,
  type Signed,
} from "./signed.ts";

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
  /** Who created the task. */
  asked_by: { kind: "agent" | "admin" | "user"; id: string | null; name: string };
  /** The person that the asker named; nobody has checked it. */
  on_behalf_of: { name?: string; email?: string; id?: string } | null;
  /** Who decided; null unless the task is completed. */
  decided_by: {
    kind: "person" | "recipient" | "embed" | "agent" | "admin";
    user_id: string | null;
    email: string | null;
    name: string | null;
    channel: string | null;
    /** The person who uses the agent decided. Its host handed in the answer, and only it vouches for them. */
    at_host?: true;
    slack?: { team_id: string; user_id: string };
  } | null;
}

/** The body of a callback about a question that a person asked. The task asked for it with `callback_events`. */
export interface QuestionCallback {
  event: "task.question";
  task_id: string;
  idempotency_key: string;
  status: "created" | "rejected";
  waiting_on: "agent";
  comment: Comment;
}

type OneKey = string | { readonly webhookKey: string | undefined } | undefined;

/**
 * The key that verifies callbacks, in base64 or base64url: the service's SERVICE_PAYLOAD_KEY, or the webhook key that is
 * derived from it and that `service webhook-key` prints. Receivers need only the webhook key.
 *
 * Several keys, in an array or with white space between them, are all accepted, as while the service's key is rotated.
 * In an array, keys that are not set are left out.
 */
export type CallbackKey = OneKey | readonly OneKey[];

/**
 * Reads a callback, once its signature was checked. Where the headers of Standard Webhooks are, they are checked, and the
 * time of the attempt is at most 5 minutes off; else X-Service-Signature is. The same task may be called back more than once:
 * keep what was done for a `task_id`, and answer 2xx to the next one. (spec: Events, Signature)
 *
 * @param rawBody - the received bytes; a body that a framework has parsed cannot be checked
 * @throws HumanTaskError CALLBACK_NOT_RAW, CALLBACK_KEY, CALLBACK_UNSIGNED, CALLBACK_FORGED
 */
export async function verifyCallback(rawBody: RawBody, headers: GivenHeaders, key: CallbackKey): Promise<Callback> {
  const body = bytesOf(rawBody);
  const standard = headerOf(headers, "webhook-signature");
  const signed = standard === undefined ? readOwn(headers, body) : readStandard(headers, standard, body);
  for (const one of keysOf(key)) {
    const verifying = await signingKey(one, "verify");
    for (const signature of signed.signatures)
      if (await crypto.subtle.verify("HMAC", verifying, signature, signed.bytes))
        return JSON.parse(new TextDecoder().decode(body)) as Callback;
  }
  throw new HumanTaskError(
    "CALLBACK_FORGED",
    "The signature does not match the body and the key. Check the key, and pass the body unchanged.",
  );
}

/** @throws HumanTaskError CALLBACK_UNSIGNED */
function readOwn(headers: GivenHeaders, bytes: Bytes): Signed {
  const given = headerOf(headers, "x-service-signature");
  const hex = /^sha256=([0-9a-f]{64})$/.exec(given ?? "")?.[1];
  if (hex === undefined)
    throw new HumanTaskError(
      "CALLBACK_UNSIGNED",
      `The header X-Service-Signature is ${given === undefined ? "missing" : "not sha256= and 64 hex digits"}: the service did not send this, or a proxy removed the header.`,
    );
  return { bytes, signatures: [Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16))] };
}

export interface HandlerOptions {
  /** Larger bodies are refused with 413 before they are read. Default: 4 MiB. */
  maxBytes?: number;
  /** Acts on a question, as `act` does on an outcome. Without it, questions are answered with 204. */
  onQuestion?: ((callback: QuestionCallback) => unknown) | undefined;
}

/** Acts on a callback. If it throws, the callback is answered with 5xx, and the service calls back again later. */
type Act = (callback: Callback) => unknown;

/**
 * Returns a handler for frameworks with the Fetch API, such as Hono, Next.js, Deno, Bun or Cloudflare Workers. It
 * answers 204 after `act` has returned, and 401 to unsigned requests. It rejects with the error of `act`.
 * @throws HumanTaskError CALLBACK_KEY
 */
export function callbackHandler(
  key: CallbackKey,
  act: Act,
  options: HandlerOptions = {},
): (request: Request) => Promise<Response> {
  keysOf(key);
  return async (request) => {
    const { status, text } = await answer(request.body, request.headers, key, act, options);
    return new Response(text, { status });
  };
}

/** A request of Node's `http`, Express and similar. */
export interface IncomingCallback extends AsyncIterable<unknown> {
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** From `express.raw({ type: "application/json" })`, if that ran before. */
  body?: unknown;
  /** Some hosts keep it beside the parsed body. */
  rawBody?: unknown;
}

export interface CallbackAnswer {
  statusCode: number;
  end(text?: string): unknown;
}

/**
 * Returns a handler for Node's `http` and for Express, before any parser or with the raw body. It never rejects: errors
 * go to `next` if there is one, or else are answered with 500 and printed to the console.
 * @throws HumanTaskError CALLBACK_KEY
 */
export function nodeCallbackHandler(key: CallbackKey, act: Act, options: HandlerOptions = {}) {
  keysOf(key);
  return async (
    request: IncomingCallback,
    response: CallbackAnswer,
    next?: (error: unknown) => void,
  ): Promise<void> => {
    try {
      const body = request.rawBody ?? request.body ?? request;
      const { status, text } = await answer(body as Body, request.headers, key, act, options);
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
  { maxBytes = MAX_BYTES, onQuestion }: HandlerOptions,
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
  // Outcomes have no event.
  const { event } = callback as { event?: string };
  await (event === undefined ? act(callback) : onQuestion?.(callback as unknown as QuestionCallback));
  return { status: 204, text: null };
}

/** Returns null if the body is too long. A body that is not a stream is returned unchanged. */
async function read(body: Body, maxBytes: number): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  if (typeof body === "string" || body instanceof Uint8Array || !(Symbol.asyncIterator in body))
    return body as Uint8Array;
  const chunks: Bytes[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(bytesOf(chunk));
    length += chunks.at(-1)!.byteLength;
    if (length > maxBytes) return null;
  }
  return joined(chunks);
}

/** A key in base64. */
interface KeyText {
  text: string;
  /** The payload key, from which the one that signs is derived; it never signs anything itself. */
  isRoot: boolean;
}

const KEY_BYTES = 32;

/** Returns the key that signs. */
export async function signingKey({ text, isRoot }: KeyText, use: "sign" | "verify") {
  const bytes = bytesOfBase64(text);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  if (!isRoot) return crypto.subtle.importKey("raw", bytes, hmac, false, [use]);
  const root = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  const ascii = (text: string) => new TextEncoder().encode(text);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: ascii("service-webhook-v1"), info: ascii("v1") };
  return crypto.subtle.deriveKey(hkdf, root, { ...hmac, length: KEY_BYTES * 8 }, false, [use]);
}

/** @throws HumanTaskError CALLBACK_KEY */
function keysOf(key: CallbackKey): KeyText[] {
  const keys = [key].flat().flatMap((one) => {
    const isString = typeof one === "string";
    const texts = (isString ? one : one?.webhookKey)?.match(/\S+/g) ?? [];
    // With this prefix, libraries for Standard Webhooks take the webhook key.
    return texts.map((text) => ({ text: text.replace(/^whsec_/, ""), isRoot: isString && !text.startsWith("whsec_") }));
  });
  if (keys.length === 0 || keys.some(({ text }) => bytesOfBase64(text).length !== KEY_BYTES))
    throw new HumanTaskError(
      "CALLBACK_KEY",
      "The key is missing or not 32 bytes in base64. Pass the service's SERVICE_PAYLOAD_KEY, or { webhookKey } from `service webhook-key`.",
    );
  return keys;
}
