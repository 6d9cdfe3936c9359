import type { Socket } from "node:net";
import { Client } from "undici";
import { watchAnswerHead, type AnswerHead } from "./answer-head.ts";
import { SendFailure, toSendFailure } from "./send-failure.ts";

/** Header fields of one answer, as undici counts them. */
const MAX_HEADER_BYTES = 16 * 1024;
/** What is read of an answer's body before its connection is dropped. */
const MAX_BODY_BYTES = 64 * 1024;
/** What is kept of it for the record. */
const MAX_KEPT_BYTES = 4 * 1024;

/** One vetted socket and the undici client that owns it, for one request after the other. */
export interface Connection {
  client: Client;
  socket: Socket;
  head: AnswerHead;
  /** On the clock of `performance.now()`. */
  openedAt: number;
  isOpen(): boolean;
  /** Told when the socket is gone, whoever closed it. */
  onClosed: () => void;
}

export interface Answer {
  status: number;
  /** The first 4 KiB at most. */
  body: Buffer;
  /** When the headers were complete, on the clock of `performance.now()`. */
  at: number;
}

/** Gives a vetted socket to a client of its own, which cannot open another: what it did not vet it cannot reach. */
export function adopt(socket: Socket, origin: string, keepAliveMs: number): Connection {
  let isTaken = false;
  const client = new Client(origin, {
    connect: (_options, callback) => {
      const isFirst = !isTaken;
      isTaken = true;
      // Not within this call: undici would miss that the connection is there already.
      queueMicrotask(() => (isFirst ? callback(null, socket) : callback(lost(), null)));
    },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Zero is "none": the attempt's own clock is the only one, and it does not start again with each byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
  });
  const connection: Connection = {
    client,
    socket,
    head: watchAnswerHead(socket),
    openedAt: performance.now(),
    isOpen: () => !socket.destroyed && !client.destroyed,
    onClosed: () => undefined,
  };
  client.once("disconnect", () => {
    connection.onClosed();
    void drop(connection, lost());
  });
  return connection;
}

/** Closes the connection, however often it is asked to; a request on it ends with `failure`. Never rejects. */
export async function drop({ client, socket }: Connection, failure: SendFailure): Promise<void> {
  if (!client.destroyed) await client.destroy(failure).catch(() => undefined);
  // A client that refused the request outright never took its socket.
  socket.destroy();
}

function lost(): SendFailure {
  return new SendFailure("reset", "The receiver closed the connection.");
}

export interface ExchangeOptions {
  /** For reading the body once the headers have come, in milliseconds. */
  bodyTimeoutMs: number;
  /** Ends the exchange with its reason. */
  signal: AbortSignal;
  onHeaders: () => void;
  /** The answer was read to its end: the connection may serve again. */
  onReusable: () => void;
}

/**
 * Posts once and reads what is worth reading of the answer. From the headers on nothing fails any more: what was read
 * of the body is what there is.
 *
 * @throws SendFailure when no answer came
 */
export function exchange(
  connection: Connection,
  request: { path: string; headers: Record<string, string>; body: Buffer },
  { bodyTimeoutMs, signal, onHeaders, onReusable }: ExchangeOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let answered: { status: number; at: number } | null = null;
    let bodyTimer: NodeJS.Timeout | undefined;
    let bodyBytes = 0;
    const kept: Buffer[] = [];
    let isOver = false;

    const end = (isReadWhole: boolean, failure: SendFailure) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(bodyTimer);
      signal.removeEventListener("abort", abort);
      if (isReadWhole) onReusable();
      else void drop(connection, failure);

      if (answered === null) reject(failure);
      else resolve({ ...answered, body: Buffer.concat(kept) });
    };
    const stop = (cause: unknown) => end(false, toSendFailure(cause));
    const abort = () => stop(signal.reason);

    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    connection.head.expect();
    // undici tells the handler of what it cannot write, a line break in a header for instance; it does not throw.
    connection.client.dispatch(
      { method: "POST", ...request },
      {
        onRequestStart() {},
        onResponseStart(_controller, status) {
          if (isOver) return;
          if (status < 200) return stop(new SendFailure("protocol", `The receiver answered ${status}, unasked.`));
          answered = { status, at: performance.now() };
          connection.head.complete();
          onHeaders();
          bodyTimer = setTimeout(stop, bodyTimeoutMs);
        },
        onResponseData(_controller, chunk) {
          if (isOver) return;
          if (bodyBytes < MAX_KEPT_BYTES) kept.push(Buffer.from(chunk.subarray(0, MAX_KEPT_BYTES - bodyBytes)));
          bodyBytes += chunk.length;
          if (bodyBytes >= MAX_BODY_BYTES) stop(lost());
        },
        onResponseEnd() {
          end(answered !== null, lost());
        },
        onResponseError(_controller, error) {
          stop(error);
        },
      },
    );
  });
}
