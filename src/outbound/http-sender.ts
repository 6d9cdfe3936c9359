/**
 * Posts bytes to URLs that strangers chose, and tells what came of it.
 *
 * The guards, in the order in which they stand:
 * 1. `URL` reads the text, so that every spelling of an address (`0x7f.1`, `[::ffff:127.0.0.1]`) becomes the one that
 *    would be dialled; an address literal is judged at once. (outbound-url.ts)
 * 2. A host name is resolved once for a connection, and all its addresses are judged: one refused address refuses the
 *    name. (addresses.ts)
 * 3. The socket is dialled to a vetted address, never to the name, so a second answer of the DNS changes nothing.
 * 4. The connected socket is asked for its peer, which must be that very address, before TLS and before the first byte.
 * 5. TLS checks the certificate against the host name of the URL. (2 to 5: vetted-socket.ts)
 * 6. Only then undici gets the socket, in a client that owns this one connection and cannot open another. Redirects
 *    are outcomes, proxy variables are not read, nothing is decompressed; time, head and body are bounded.
 *
 * They stand where the connection is made and not in a DNS hook (the `lookup` option of `net` and undici), because
 * that hook is never called for an address literal, and what it answers is not proof of where the socket then leads.
 * A connection kept for the next request went through all of them under the same policy, and lives too briefly to
 * outlast a change in the DNS by much.
 */
import { createSecureContext, type SecureContext } from "node:tls";
import type { AddressPolicy } from "./addresses.ts";
import { adopt, exchange, type Answer, type Connection } from "./connection.ts";
import { createIdleConnections, type IdleLimits } from "./idle-connections.ts";
import { readOutboundUrl } from "./outbound-url.ts";
import { lookupAddresses } from "./resolve.ts";
import { SendFailure, toSendFailure, type SendError } from "./send-failure.ts";
import { dial, openVettedSocket, type ConnectOptions, type Dial, type Lookup } from "./vetted-socket.ts";

/** Longest sentence about a failure, in characters; parts of it can come from the receiver. */
const MAX_MESSAGE_LENGTH = 500;

interface SendRequest {
  url: string;
  /** Sent as it is. */
  body: Buffer;
  headers: Record<string, string>;
  /** Ends the attempt as `aborted`, for instance when the service stops. */
  signal?: AbortSignal;
}

export type SendResult =
  | { ok: true; status: number; duration_ms: number; response_body: string }
  | {
      ok: false;
      error: SendError;
      message: string;
      duration_ms: number;
      /** Both only when the receiver answered. */
      status?: number;
      response_body?: string;
    };

export interface Sender {
  /**
   * Makes one attempt. Never throws and never rejects, whatever the request holds. `duration_ms` runs to the headers
   * of the answer or to the failure; `response_body` is the first 4 KiB at most, fit to be stored as text.
   */
  send(request: SendRequest): Promise<SendResult>;
  /** Ends attempts in flight, and all later ones, as `aborted`, and closes what is open. */
  close(): Promise<void>;
}

export interface SenderOptions extends AddressPolicy, Partial<IdleLimits> {
  /** Of this service; goes into `User-Agent`. */
  version: string;
  /** For one attempt, from DNS to the headers of the answer, in milliseconds. (spec: Limits) */
  timeoutMs?: number;
  /** For reading the body once the headers have come, in milliseconds. */
  bodyTimeoutMs?: number;
  /** How long a connection may wait for its next request, in milliseconds. */
  keepAliveMs?: number;
  /** Certificates to trust in place of the system's, as PEM. */
  ca?: string;
  /** In place of the name servers; a test answers itself. */
  lookup?: Lookup;
  /** In place of the network; what it leads to is checked all the same. */
  dial?: Dial;
}

/** Opens nothing yet: connections come with the attempts, as many at once as there are attempts. */
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
  const connectOptions: ConnectOptions = {
    allowPrivate,
    lookup,
    dial: dialAddress,
    secureContext: once(() => secureContextOf(ca)),
  };
  const idle = createIdleConnections({ connectionAgeMs, idlePerOrigin, idleInTotal });
  const inFlight = new Set<AbortController>();
  let isClosed = false;

  async function attempt(
    { url: text, headers, body }: SendRequest,
    signal: AbortSignal,
    onHeaders: () => void,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const reading = readOutboundUrl(text, { allowPrivate });
    if (!reading.ok) throw new SendFailure(reading.error, reading.message);

    const { url } = reading.target;
    const request = {
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, "User-Agent": `human-task-service/${version}` },
      body,
    };
    const exchangeOn = (connection: Connection) =>
      exchange(connection, request, {
        bodyTimeoutMs,
        signal,
        onHeaders,
        onReusable: () => idle.put(url.origin, connection),
      });

    const kept = idle.take(url.origin);
    if (kept !== undefined) {
      try {
        return await exchangeOn(kept);
      } catch (error) {
        // The receiver may close a waiting connection while a request is on its way: a new one settles it.
        if (toSendFailure(error).error !== "reset" || kept.head.isAnswered()) throw error;
      }
    }
    const socket = await openVettedSocket(reading.target, connectOptions, signal);
    return exchangeOn(adopt(socket, url.origin, keepAliveMs));
  }

  return {
    async send(request) {
      const startedAt = performance.now();
      const guard = new AbortController();
      const abort = () => guard.abort(new SendFailure("aborted", "The attempt was stopped."));
      const timer = setTimeout(
        () => guard.abort(new SendFailure("timeout", `No answer within ${timeoutMs / 1_000} seconds.`)),
        timeoutMs,
      );
      inFlight.add(guard);
      try {
        request.signal?.addEventListener("abort", abort, { once: true });
        if (isClosed || request.signal?.aborted) abort();

        const answer = await attempt(request, guard.signal, () => clearTimeout(timer));
        return toResult(answer, Math.round(answer.at - startedAt));
      } catch (error) {
        const { error: word, message } = toSendFailure(error);
        const duration_ms = Math.round(performance.now() - startedAt);
        return { ok: false, error: word, message: storable(message).slice(0, MAX_MESSAGE_LENGTH), duration_ms };
      } finally {
        clearTimeout(timer);
        inFlight.delete(guard);
        request?.signal?.removeEventListener("abort", abort);
      }
    },
    async close() {
      isClosed = true;
      for (const guard of inFlight) guard.abort(new SendFailure("aborted", "The attempt was stopped."));
      await idle.closeAll();
    },
  };
}

/** A 2xx status is success, and nothing else is: redirects are not followed. (spec: Events, Delivery) */
function toResult({ status, body }: Answer, duration_ms: number): SendResult {
  // As a stream, so that a character cut in two at the end is left out.
  const response_body = storable(new TextDecoder().decode(body, { stream: true }));
  if (status < 300) return { ok: true, status, duration_ms, response_body };

  const [error, message] =
    status < 400
      ? (["redirect", `The receiver answered ${status}, and redirects are not followed.`] as const)
      : (["http_status", `The receiver answered ${status}.`] as const);
  return { ok: false, error, status, message, duration_ms, response_body };
}

/** Without U+0000, which PostgreSQL does not take as text. */
function storable(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}

function secureContextOf(ca: string | undefined): SecureContext {
  return createSecureContext(ca === undefined ? {} : { ca });
}

/** Reading the system's certificates takes tens of milliseconds: for the first that needs them, and not again. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
