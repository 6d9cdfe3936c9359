import type { Socket } from "node:net";
import { SendFailure } from "./send-failure.ts";

/** What may arrive before the answer's head is complete: interim answers, status line and header fields. */
const MAX_BYTES_BEFORE_BODY = 64 * 1024;

/** `100 Continue`, `103 Early Hints` and the like; `101 Switching Protocols` is a final answer in disguise. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const INTERIM_LENGTH = "HTTP/1.1 100 ".length;
const PREFIX = "HTTP/1.";
const BLANK_LINE = "\r\n\r\n";

export interface AnswerHead {
  /** A request is about to be written: what comes next is the head of its answer. */
  expect(): void;
  /** The head is complete; the body passes as it comes. */
  complete(): void;
  /** Whether a single byte came since the request. */
  isAnswered(): boolean;
}

/**
 * Stands between a socket and undici while a head is awaited, for two things undici lacks. It drops the connection on
 * a `100 Continue` that nobody asked for, though a client must be able to skip any interim answer (RFC 9110, 15.2);
 * and it sets no bound to a status line or to a row of interim answers, only to header fields.
 */
export function watchAnswerHead(socket: Socket): AnswerHead {
  const read = socket.read.bind(socket);
  let awaiting = false;
  let skipping = false;
  let bytes = 0;
  let held: Buffer = Buffer.alloc(0);

  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size);
      if (!awaiting || !Buffer.isBuffer(chunk)) return chunk;

      // The chunk that completes a small head may bring much of the body: only what came before it is counted.
      if (bytes > MAX_BYTES_BEFORE_BODY) {
        socket.destroy(new SendFailure("protocol", "The head of the answer is too large."));
        return null;
      }
      bytes += chunk.length;
      if (!skipping) return chunk;

      held = withoutInterims(Buffer.concat([held, chunk]));
      if (mayBecomeInterim(held)) continue;

      // The parser would also take an answer in RTSP for one.
      if (!start(held).startsWith(PREFIX)) {
        socket.destroy(new SendFailure("protocol", "The answer is not in HTTP/1.1."));
        return null;
      }
      const answer = held;
      skipping = false;
      held = Buffer.alloc(0);
      return answer;
    }
  };

  return {
    expect() {
      awaiting = true;
      skipping = true;
      bytes = 0;
      held = Buffer.alloc(0);
    },
    complete() {
      awaiting = false;
    },
    isAnswered() {
      return bytes > 0;
    },
  };
}

function withoutInterims(bytes: Buffer): Buffer {
  let rest = bytes;
  while (INTERIM.test(start(rest))) {
    const end = rest.indexOf(BLANK_LINE);
    if (end === -1) return rest;
    rest = rest.subarray(end + BLANK_LINE.length);
  }
  return rest;
}

function mayBecomeInterim(bytes: Buffer): boolean {
  const text = start(bytes);
  if (text.length === INTERIM_LENGTH) return INTERIM.test(text);
  return text.startsWith(PREFIX) || PREFIX.startsWith(text);
}

function start(bytes: Buffer): string {
  return bytes.toString("latin1", 0, INTERIM_LENGTH);
}
