import { connect, type Socket } from "node:net";
import { ADMIN_TOKEN } from "../../test/support/service.ts";

/**
 * One connection that sends a request and waits for its answer, then the next. Written on a bare socket, since the load
 * generator shares the machine with what it measures: an HTTP client costs more than the service.
 */
export interface Client {
  /** The answer's status and, as bytes, its body. */
  send(request: Buffer): Promise<Answer>;
  close(): void;
}

export interface Answer {
  status: number;
  body: Buffer;
}

const HEAD_END = Buffer.from("\r\n\r\n");

export async function openClient(url: string): Promise<Client> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let resolveNow: ((answer: Answer) => void) | null = null;
  let rejectNow: ((error: Error) => void) | null = null;
  let received: Buffer = Buffer.alloc(0);

  socket.on("data", (bytes) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = received.toString("latin1", 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const end = headEnd + 4 + length;
    if (received.length < end) return;
    const answer = { status: Number(head.slice(9, 12)), body: received.subarray(headEnd + 4, end) };
    received = received.subarray(end);
    resolveNow?.(answer);
  });
  const fail = (error: Error) => rejectNow?.(error);
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the connection was closed")));

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        resolveNow = resolve;
        rejectNow = reject;
        socket.write(request);
      }),
    close: () => {
      rejectNow = null;
      socket.destroy();
    },
  };
}

/** The bytes of a request of the admin token. */
export function requestBytes(method: "GET" | "POST" | "DELETE", path: string, body?: string): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${ADMIN_TOKEN}\r\n`;
  if (body === undefined) return Buffer.from(`${head}\r\n`);
  return Buffer.from(
    `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
