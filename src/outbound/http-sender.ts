/**
 * Sends requests to untrusted URLs, and reports the result.
 *
 * The checks, in order:
 * 1. `URL` parses the text, so every spelling of an address (`0x7f.1`, `[::ffff:127.0.0.1]`) becomes the one that Node
 *    would connect to. An address literal is checked at once. (outbound-url.ts)
 * 2. A host name is resolved once for a connection, and all its addresses are checked: one refused address refuses the
 *    name. (addresses.ts)
 * 3. The socket connects to a checked address, never to the name, so a second answer of the DNS changes nothing.
 * 4. The peer of the connected socket must have that address. This is checked before TLS and before the first byte.
 * 5. TLS checks the certificate against the host name of the URL. (2 to 5: guarded-socket.ts)
 * 6. Only then `node:http` gets the socket, from an `Agent` that has no other way to connect (guarded-agent.ts).
 *    Redirects are not followed, proxy variables are not read, nothing is decompressed. Time, head and body are limited
 *    (exchange.ts).
 *
 * A pooled connection passed all checks under the same policy. Its age is limited, so it follows a change in the DNS.
 *
 * No library does all of this: `request-filtering-agent` checks the address that a name resolves to inside an `Agent`
 * as well, but it does not check the connected peer, connect to several addresses in parallel, or limit time and size.
 */
import { createSecureContext, type SecureContext } from "node:tls";
import type { AddressPolicy } from "./addresses.ts";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { exchange, KEPT_BYTES, type Answer, type Method, type StreamReading } from "./exchange.ts";
import { GuardedAgent, type PoolLimits } from "./guarded-agent.ts";
import { dial, type Dial, type Lookup } from "./guarded-socket.ts";
import { readOutboundUrl } from "./outbound-url.ts";
import { lookupAddresses } from "./resolve.ts";
import { SendFailure, toSendFailure, type SendError } from "./send-failure.ts";

/** Longest sentence about a failure, in characters. Parts of it can come from the receiver. */
const MAX_MESSAGE_LENGTH = 500;

export interface SendRequest {
  /** POST unless it is given. */
  method?: Method;
  url: string;
  /** Sent unchanged. */
  body?: Buffer;
  headers: Record<string, string>;
  /** How much of the answer's body is returned, in bytes; 4 KiB unless it is given. */
  keptBytes?: number;
  /**
   * Whether it may be sent a second time at once, where a connection of the pool ended without an answer; true unless it is given. The
   * receiver may have read the first one.
   */
  mayRepeat?: boolean;
  /** For a body that goes on for as long as the receiver works. */
  stream?: StreamReading;
  /** Ends the attempt as `aborted`, for instance when the service stops. */
  signal?: AbortSignal;
}

export type SendResult =
  | { ok: true; status: number; headers: IncomingHttpHeaders; duration_ms: number; response_body: string }
  | {
      ok: false;
      error: SendError;
      message: string;
      duration_ms: number;
      /** These are present only if the receiver answered. */
      status?: number;
      headers?: IncomingHttpHeaders;
      response_body?: string;
    };

export interface Sender {
  /**
   * Makes one attempt. Never throws and never rejects, for any request. `duration_ms` ends at the head of the answer or
   * at the failure. `response_body` is at most the first `keptBytes`, as text that can be stored.
   */
  send(request: SendRequest): Promise<SendResult>;
  /** Ends attempts in flight, and all later ones, as `aborted`, and closes all connections. */
  close(): Promise<void>;
}

export interface SenderOptions extends AddressPolicy, Partial<PoolLimits> {
  /** The version of this service, for `User-Agent`. */
  version: string;
  /** Time limit of one attempt, from DNS to the head of the answer, in milliseconds. (spec: Limits) */
  timeoutMs?: number;
  /** Time limit for reading the body after the head, in milliseconds. */
  bodyTimeoutMs?: number;
  /** Certificates to trust instead of the system's, as PEM. */
  ca?: string;
  /** Replaces the name servers in tests. */
  lookup?: Lookup;
  /** Replaces the network in tests. The peer is still checked. */
  dial?: Dial;
}

/** Returns a sender. It opens as many connections at once as there are attempts. */
export function createSender({
  version,
  allowPrivate,
  timeoutMs = 10_000,
  bodyTimeoutMs = 1_000,
  keepAliveMs = 4_000,
  connectionAgeMs = 30_000,
  idlePerOrigin = 8,
  idleInTotal = 256,
  ca,
  lookup = lookupAddresses,
  dial: dialAddress = dial,
}: SenderOptions): Sender {
  const agent = new GuardedAgent(
    { allowPrivate, lookup, dial: dialAddress, secureContext: lazily(() => secureContextOf(ca)) },
    { keepAliveMs, connectionAgeMs, idlePerOrigin, idleInTotal },
  );
  const inFlight = new Set<AbortController>();
  const open = new Set<IncomingMessage>();
  let isClosed = false;

  async function attempt(
    { method = "POST", url, headers, body, keptBytes = KEPT_BYTES, mayRepeat = true, stream }: SendRequest,
    signal: AbortSignal,
    onHead: () => void,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const reading = readOutboundUrl(url, { allowPrivate });
    if (!reading.ok) throw new SendFailure(reading.error, reading.message);

    const allHeaders = { ...headers, "User-Agent": `human-task-service/${version}` };
    const request = {
      method,
      target: reading.target,
      headers: allHeaders,
      body: body ?? null,
      keptBytes,
      mayRepeat,
      stream: stream ?? null,
    };
    return exchange(request, { agent, bodyTimeoutMs, signal, onHead, open });
  }

  return {
    async send(request) {
      const startedAt = performance.now();
      const controller = new AbortController();
      const abort = () => controller.abort(new SendFailure("aborted", "The attempt was stopped."));
      const timer = setTimeout(
        () => controller.abort(new SendFailure("timeout", `No answer within ${timeoutMs / 1_000} seconds.`)),
        timeoutMs,
      );
      inFlight.add(controller);
      try {
        request.signal?.addEventListener("abort", abort, { once: true });
        if (isClosed || request.signal?.aborted) abort();

        const answer = await attempt(request, controller.signal, () => clearTimeout(timer));
        return toResult(answer, Math.round(answer.at - startedAt));
      } catch (error) {
        const failure = toSendFailure(error);
        const duration_ms = Math.round(performance.now() - startedAt);
        const message = storable(failure.message).slice(0, MAX_MESSAGE_LENGTH);
        return { ok: false, error: failure.error, message, duration_ms };
      } finally {
        clearTimeout(timer);
        inFlight.delete(controller);
        request?.signal?.removeEventListener("abort", abort);
      }
    },
    async close() {
      isClosed = true;
      for (const controller of inFlight) controller.abort(new SendFailure("aborted", "The attempt was stopped."));
      for (const response of open) response.destroy();
      await agent.close();
    },
  };
}

/**
 * Returns the result of an answer. Only a 2xx status is success. Redirects are not followed. (spec: Events, Delivery)
 */
function toResult({ status, headers, body }: Answer, duration_ms: number): SendResult {
  // Decoded as a stream, which leaves out a character that is cut in two at the end.
  const response_body = storable(new TextDecoder().decode(body, { stream: true }));
  if (status < 300) return { ok: true, status, headers, duration_ms, response_body };

  const [error, message] =
    status < 400
      ? (["redirect", `The receiver answered ${status}, and redirects are not followed.`] as const)
      : (["http_status", `The receiver answered ${status}.`] as const);
  return { ok: false, error, status, headers, message, duration_ms, response_body };
}

/** Returns the text without U+0000, which PostgreSQL does not accept. */
function storable(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}

function secureContextOf(ca: string | undefined): SecureContext {
  return createSecureContext(ca === undefined ? {} : { ca });
}

/** Calls `make` at the first use only: reading the system's certificates takes tens of milliseconds. */
function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
