import { connect, type Socket } from "node:net";

/** An answer as received. */
export interface Answer {
  status: number;
  /** By lower-case name; values of a repeated header are joined with `, `. */
  headers: Map<string, string>;
  body: Buffer;
}

/** A raw connection: sends any bytes, and parses the answer as HTTP/1.1. */
export interface Connection {
  /** Sends each piece in its own packet where the system allows it. @param end - closes our half afterwards */
  send(pieces: readonly Buffer[], end: boolean): Promise<void>;
  /**
   * Returns the next answer that is not a 1xx; null when the connection ended without one.
   *
   * @param isHead - the answer is to HEAD and has no body
   * @throws Error when the bytes are not an answer, or no answer arrived within `NO_ANSWER_MS`
   */
  answer(isHead: boolean, withinMs?: number): Promise<Answer | null>;
  /** Returns whether no unexpected bytes arrived. */
  isIdle(): boolean;
  isOpen(): boolean;
  close(): void;
}

/** Only a poll takes longer, even on a busy machine. */
const NO_ANSWER_MS = 30_000;

export class NoAnswer extends Error {}

export async function openConnection(port: number): Promise<Connection> {
  const socket = await connected(port);
  let received: Buffer = Buffer.alloc(0);
  let hasEnded = false;
  let wake = () => {};
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    wake();
  });
  for (const event of ["end", "close", "error"] as const)
    socket.on(event, () => {
      hasEnded = true;
      wake();
    });

  const more = (deadline: number) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new NoAnswer("no answer")), Math.max(0, deadline - performance.now()));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  return {
    send: async (pieces, end) => {
      for (const [i, piece] of pieces.entries()) {
        if (i > 0) await new Promise((resolve) => setTimeout(resolve, 1));
        if (socket.writable) socket.write(piece);
      }
      if (end) socket.end();
    },
    answer: async (isHead, withinMs = NO_ANSWER_MS) => {
      const deadline = performance.now() + withinMs;
      for (;;) {
        const parsed = parseAnswer(received, isHead, hasEnded);
        if (parsed !== null) {
          received = received.subarray(parsed.length);
          if (parsed.answer.status < 200) continue;
          return parsed.answer;
        }
        if (hasEnded) {
          if (received.length > 0)
            throw new Error(
              `the connection ended in the middle of an answer: ${received.subarray(0, 300).toString("latin1")}`,
            );
          return null;
        }
        await more(deadline);
      }
    },
    isIdle: () => received.length === 0,
    isOpen: () => !hasEnded && socket.writable,
    close: () => socket.destroy(),
  };
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

/** Returns the first answer in `bytes` and its length; null while it is incomplete. */
function parseAnswer(bytes: Buffer, isHead: boolean, hasEnded: boolean): { answer: Answer; length: number } | null {
  if (bytes.length === 0) return null;
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const [first = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw new Error(`this is not an answer: ${JSON.stringify(first.slice(0, 200))}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ""] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): *(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`this is not a header: ${JSON.stringify(line.slice(0, 200))}`);
    const key = name.toLowerCase();
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  const start = headEnd + 4;
  const done = (body: Buffer, end: number) => ({ answer: { status: Number(status), headers, body }, length: end });
  if (isHead || Number(status) < 200 || status === "204" || status === "304") return done(Buffer.alloc(0), start);
  if (headers.get("transfer-encoding") === "chunked") return parseChunks(bytes, start, done);
  const length = headers.get("content-length");
  if (length === undefined) return hasEnded ? done(bytes.subarray(start), bytes.length) : null;
  const end = start + Number(length);
  return bytes.length >= end ? done(bytes.subarray(start, end), end) : null;
}

function parseChunks<T>(bytes: Buffer, start: number, done: (body: Buffer, end: number) => T): T | null {
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const end = lineEnd + 2 + size;
    if (bytes.length < end + 2) return null;
    if (size === 0) return done(Buffer.concat(chunks), end + 2);
    chunks.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
