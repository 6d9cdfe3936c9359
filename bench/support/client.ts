import { connect } from "node:net";
import { ADMIN_TOKEN } from "../../test/support/service.ts";

/** A request, and the properties of a correct answer. */
export interface Ask {
  bytes: Buffer;
  status: number;
  /** Texts that the answer's body must contain. */
  marks: readonly string[];
}

export interface Answer {
  status: number;
  head: string;
  body: Buffer;
}

/**
 * One connection on a bare socket. The load generator shares the machine with the measured program, and an HTTP client
 * would cost more than the service.
 */
export interface Client {
  /** Answers come in the order of the requests. @throws Error when the answer is not the expected one */
  ask(ask: Ask): Promise<Answer>;
  close(): void;
}

interface Pending {
  ask: Ask;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const NOTHING = Buffer.alloc(0);

/** @param localAddress - for more connections than one address has ports */
export async function openClient(url: string, localAddress = "127.0.0.1"): Promise<Client> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress, noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const pending: Pending[] = [];
  let received: Buffer[] = [];
  let length = 0;
  /** The length of the answer that is being received, as soon as its headers are complete. */
  let wanted = 0;

  socket.on("data", (bytes) => {
    received.push(bytes);
    length += bytes.length;
    while (length > 0 && length >= wanted) {
      const all = received.length === 1 ? received[0]! : Buffer.concat(received);
      received = [all];
      const found = readAnswer(all);
      if (found === null || found.end > length) {
        wanted = found?.end ?? 0;
        return;
      }
      received = found.end === length ? [] : [all.subarray(found.end)];
      length -= found.end;
      wanted = 0;
      take(found.answer);
    }
  });

  function take(answer: Answer): void {
    const next = pending.shift();
    if (!next) {
      socket.destroy(new Error("an answer that nobody asked for"));
      return;
    }
    const problem = problemOf(next.ask, answer);
    if (problem === null) next.resolve(answer);
    else next.reject(new Error(problem));
  }

  const fail = (error: Error) => {
    for (const { reject } of pending.splice(0)) reject(error);
  };
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the connection was closed")));

  return {
    ask: (ask) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error("the connection was closed"));
        pending.push({ ask, resolve, reject });
        socket.write(ask.bytes);
      }),
    close: () => {
      pending.length = 0;
      socket.destroy();
    },
  };
}

/** Returns the answer at the beginning of `bytes`, which may be incomplete; null before the end of its headers. */
function readAnswer(bytes: Buffer): { answer: Answer; end: number } | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const head = bytes.toString("latin1", 0, headEnd);
  const status = Number(head.slice(9, 12));
  const given = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (given === undefined && status !== 204) throw new Error(`an answer without a length: ${head}`);
  const end = headEnd + 4 + Number(given ?? 0);
  return { answer: { status, head, body: given === "0" ? NOTHING : bytes.subarray(headEnd + 4, end) }, end };
}

function problemOf(ask: Ask, { status, body }: Answer): string | null {
  const missing = ask.marks.find((mark) => !body.includes(mark));
  if (status === ask.status && missing === undefined) return null;
  const asked = ask.bytes.toString("latin1", 0, ask.bytes.indexOf("\r"));
  const why = status === ask.status ? `without ${missing}` : String(status);
  return `${asked} gave an answer ${why}: ${body.toString("utf8", 0, 1000)}`;
}

/** Several connections. A request uses a free connection, or waits for one. */
export interface Pool {
  ask(ask: Ask): Promise<Answer>;
  close(): void;
}

export async function openPool(url: string, size: number): Promise<Pool> {
  const clients = await Promise.all(Array.from({ length: size }, async () => openClient(url)));
  const free = [...clients];
  const waiting: ((client: Client) => void)[] = [];
  return {
    ask: async (ask) => {
      // The connection that was idle longest: the service closes connections that are idle too long.
      const client = free.shift() ?? (await new Promise<Client>((resolve) => waiting.push(resolve)));
      try {
        return await client.ask(ask);
      } finally {
        const next = waiting.shift();
        if (next) next(client);
        else free.push(client);
      }
    },
    close: () => {
      for (const client of clients) client.close();
    },
  };
}

const AS_ADMIN = `authorization: Bearer ${ADMIN_TOKEN}\r\n`;

/**
 * Returns the bytes of a request. @param credentials - header lines that identify the caller; default: the admin token
 */
export function requestBytes(
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: string,
  credentials = AS_ADMIN,
): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nhost: bench\r\n${credentials}`;
  if (body === undefined) return Buffer.from(`${head}\r\n`);
  return Buffer.from(
    `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Returns a request whose answer is 200 and contains `marks`. */
export function get(path: string, ...marks: string[]): Ask {
  return { bytes: requestBytes("GET", path), status: 200, marks };
}
