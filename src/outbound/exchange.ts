import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { request as httpRequest } from "../lib/node-http.ts";
import type { GuardedAgent, GuardedRequestOptions } from "./guarded-agent.ts";
import type { Target } from "./outbound-url.ts";
import { SendFailure, toSendFailure } from "./send-failure.ts";

/** The header fields of one answer. */
const MAX_HEADER_BYTES = 16 * 1024;
/** How much may arrive before the head of the answer is complete, interim answers (1xx) included. */
const MAX_BYTES_BEFORE_BODY = 64 * 1024;
/** How much of an answer's body is read before its connection is closed. */
const MAX_BODY_BYTES = 64 * 1024;
/** How much of it is kept, unless a request asks for more. */
export const KEPT_BYTES = 4 * 1024;

const FIRST_BYTE = "H".charCodeAt(0);

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Its beginning. */
  body: Buffer;
  /** When the head was complete, on the clock of `performance.now()`. */
  at: number;
}

/** How an answer is read whose body goes on for as long as the receiver works, such as server-sent events. */
export interface StreamReading {
  /** Gets each piece of the body. @returns whether that is enough: the answer then counts as read */
  isEnough(chunk: Buffer): boolean;
  /** The body has ended before that. */
  onEnd?(): void;
  /** Time limit for reading it after the head has arrived, in milliseconds. */
  timeoutMs: number;
  /**
   * How long the connection is kept open after that, in milliseconds. What comes is thrown away. Receivers may stop their work where the
   * connection ends.
   */
  openMs: number;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH";

export interface Request {
  method: Method;
  target: Target;
  headers: Record<string, string>;
  /** null: without a body. */
  body: Buffer | null;
  /** How much of the answer's body is kept, in bytes. */
  keptBytes: number;
  /** Whether it may be sent again where a connection of the pool ended without an answer. */
  mayRepeat: boolean;
  /** null: the body is short, and what is longer is cut off. */
  stream: StreamReading | null;
}

export interface ExchangeOptions {
  agent: GuardedAgent;
  /** Time limit for reading the body after the head has arrived, in milliseconds. */
  bodyTimeoutMs: number;
  /** Ends the exchange with its reason, a `SendFailure`. */
  signal: AbortSignal;
  onHead: () => void;
  /** Answers whose connection is kept open. */
  open: Set<IncomingMessage>;
}

/**
 * Sends a request once and reads the answer, up to the limits. After the head has arrived nothing fails any more: the part of the
 * body that was read is the result.
 *
 * @throws SendFailure when no answer came
 */
export async function exchange(request: Request, options: ExchangeOptions): Promise<Answer> {
  try {
    return await exchangeOnce(request, options, request.mayRepeat);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    // The second connection does not come from the pool, so it cannot be stale.
    return exchangeOnce(request, options, false);
  }
}

/** The receiver closed an idle connection before it answered anything: a new connection shows whether it is there. */
class StaleConnection extends SendFailure {}

async function exchangeOnce(
  wanted: Request,
  { agent, bodyTimeoutMs, signal, onHead, open }: ExchangeOptions,
  mayReuse: boolean,
): Promise<Answer> {
  signal.throwIfAborted();
  const { url, hostname } = wanted.target;
  const options: GuardedRequestOptions = {
    method: wanted.method,
    host: hostname,
    path: `${url.pathname}${url.search}`,
    setHost: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    target: wanted.target,
    connectSignal: signal,
    // Without an agent, Node closes the connection after this one answer.
    ...(mayReuse ? { agent } : { createConnection: (_, onCreated) => agent.createConnection(options, onCreated) }),
  };
  const request = httpRequest(options);
  const abort = () => request.destroy(signal.reason as SendFailure);
  signal.addEventListener("abort", abort, { once: true });
  try {
    const response = await sendAndReadHead(request, wanted);
    const at = performance.now();
    onHead();
    const { statusCode = 0, headers } = response;
    return { status: statusCode, headers, body: await readBody(response, wanted, bodyTimeoutMs, open), at };
  } catch (error) {
    // After an abort its reason counts, not the error of the connection that it closed.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
    // A receiver that answers without reading the request would otherwise hold the connection for ever.
    if (!request.writableFinished) request.destroy();
  }
}

/**
 * Sends the request and returns its answer once the head is complete.
 *
 * @throws SendFailure when no acceptable head came
 */
function sendAndReadHead(request: ClientRequest, { target, headers, body }: Request): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let isAnswered = false;
    const fail = (cause: unknown) => {
      const failure = toSendFailure(cause);
      const isStale = failure.error === "reset" && request.reusedSocket && bytes === 0;
      reject(isStale ? new StaleConnection("reset", failure.message, { cause }) : failure);
      request.destroy(failure);
    };
    /** Node limits the header fields of one answer, but neither blank lines nor the number of interim answers. */
    const watch = (chunk: Buffer) => {
      // Node's parser also skips blank lines and reads RTSP.
      if (bytes === 0 && chunk[0] !== FIRST_BYTE) fail(protocol("The answer is not in HTTP/1.1."));
      // The chunk that completes a head may bring much of the body, so only the chunks before it count.
      if (bytes > MAX_BYTES_BEFORE_BODY) fail(protocol("The head of the answer is too large."));
      bytes += chunk.length;
    };

    request.on("error", fail);
    // Node closes every request: without this, one that closed without an error would never settle.
    request.once("close", () => {
      if (!isAnswered) fail(connectionClosed());
    });
    request.once("socket", (socket: Socket) => {
      if (socket.destroyed) return fail(connectionClosed());
      socket.prependListener("data", watch);
      try {
        // The headers are set here, because an invalid header must fail the exchange and close its connection.
        for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
        request.setHeader("Host", target.url.host);
        request.end(body ?? undefined);
      } catch (cause) {
        fail(cause);
      }
    });
    request.once("upgrade", (_response, socket) => {
      socket.destroy();
      fail(protocol("The receiver answered 101, unasked."));
    });
    request.once("response", (response) => {
      response.socket.removeListener("data", watch);
      const { statusCode = 0, httpVersionMajor } = response;
      if (httpVersionMajor !== 1) return fail(protocol("The answer is not in HTTP/1.1."));
      if (statusCode < 200) return fail(protocol(`The receiver answered ${statusCode}, unasked.`));
      isAnswered = true;
      resolve(response);
    });
  });
}

/** Returns the beginning of the body. Reading ends without an error at a limit, or when the connection breaks off. */
function readBody(
  response: IncomingMessage,
  { keptBytes, stream }: Request,
  timeoutMs: number,
  open: Set<IncomingMessage>,
): Promise<Buffer> {
  return new Promise((resolve) => {
    const kept: Buffer[] = [];
    let bytes = 0;
    let isRead = false;
    const end = () => {
      isRead = true;
      clearTimeout(timer);
      response.removeListener("data", read);
      if (stream === null || open.size >= MAX_OPEN) response.destroy();
      else keepOpen(response, stream.openMs, open);
      resolve(Buffer.concat(kept));
    };
    const timer = setTimeout(end, stream?.timeoutMs ?? timeoutMs);
    const read = (chunk: Buffer) => {
      if (bytes < keptBytes) kept.push(Buffer.from(chunk.subarray(0, keptBytes - bytes)));
      bytes += chunk.length;
      const isEnough = stream === null ? bytes >= Math.max(keptBytes, MAX_BODY_BYTES) : stream.isEnough(chunk);
      if (isEnough) end();
    };
    response.on("data", read);
    response.once("close", () => {
      if (!isRead) stream?.onEnd?.();
      end();
    });
  });
}

/** How many connections are kept open for receivers that work. Later ones are closed at once. */
const MAX_OPEN = 256;

function keepOpen(response: IncomingMessage, openMs: number, open: Set<IncomingMessage>): void {
  if (response.closed) return;
  open.add(response);
  const timer = setTimeout(() => response.destroy(), openMs);
  response.once("close", () => {
    clearTimeout(timer);
    open.delete(response);
  });
  response.resume();
}

function protocol(message: string): SendFailure {
  return new SendFailure("protocol", message);
}

function connectionClosed(): SendFailure {
  return new SendFailure("reset", "The receiver closed the connection.");
}
