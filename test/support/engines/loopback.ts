import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { Turn } from "./engine.ts";

/** A request as a stand-in gets it. */
export interface Received {
  method: string;
  /** Parts of the path, decoded. */
  path: string[];
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON; text is sent as it is. */
  body?: unknown;
}

export interface Loopback {
  /** `http://127.0.0.1:41234` */
  origin: string;
  script: Turn[];
  close(): Promise<void>;
}

/**
 * Starts a server on loopback that answers as `handle` says. It ends with the test.
 * @param resumes - whether a request would resume something: its turn is the next one of `script`, if there is one
 */
export async function serve(
  t: TestContext,
  handle: (request: Received) => Reply,
  resumes: (request: Received) => boolean,
): Promise<Loopback> {
  const script: Turn[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const request = await read(incoming);
      const turn = resumes(request) ? script.shift() : undefined;
      const reply = turn === undefined || turn === "lost" ? handle(request) : turn;
      if (turn === "lost") {
        incoming.socket.destroy();
        return;
      }
      const text = reply.body === undefined || typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body);
      const type = typeof reply.body === "string" ? "text/plain" : "application/json";
      outgoing.writeHead(reply.status, { ...(text !== undefined && { "Content-Type": type }), ...reply.headers });
      outgoing.end(text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  t.after(close);
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, script, close };
}

async function read(incoming: IncomingMessage): Promise<Received> {
  const url = new URL(incoming.url ?? "/", "http://stand-in");
  return {
    method: incoming.method ?? "",
    path: url.pathname.slice(1).split("/").map(decodeURIComponent),
    query: url.searchParams,
    headers: incoming.headers,
    body: await buffer(incoming),
  };
}

/** Returns the body as JSON; undefined if it is not JSON. */
export function jsonOf({ body }: Pick<Received, "body">): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
