import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { Turn } from "./engine.ts";

/** A request to a stand-in. */
export interface Call {
  method: string;
  /** Without the query, and not decoded. */
  path: string;
  /** The parts of the path, decoded. */
  parts: string[];
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is text. */
  body?: unknown;
}

/** A request that a script comes before. */
export interface Resuming {
  /** Does what the request asks for. */
  act(): Reply;
  /** Default: the one of the stand-in, which is for requests that resume something. */
  script?: Turn[];
}

/** A server on loopback. */
export interface StandIn {
  url: string;
  script: Turn[];
  /** All requests, as `POST /path`. */
  log: string[];
  close(): Promise<void>;
}

/** Serves what `answer` says until the test ends, but for requests that resume something, which the script comes before. */
export async function startStandIn(t: TestContext, answer: (call: Call) => Reply | Resuming): Promise<StandIn> {
  const script: Turn[] = [];
  const log: string[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await read(request);
    log.push(`${call.method} ${call.path}`);
    const reply = turnOf(answer(call), script);
    if (reply === "no answer") return;
    if (reply === "lost") {
      response.destroy();
      return;
    }
    const isText = typeof reply.body === "string";
    const type = isText ? "text/plain" : "application/json";
    const sent = isText ? (reply.body as string) : JSON.stringify(reply.body);
    response
      .writeHead(reply.status, { ...(sent !== undefined && { "Content-Type": type }), ...reply.headers })
      .end(sent);
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  t.after(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, script, log, close };
}

async function read(request: IncomingMessage): Promise<Call> {
  const { pathname, searchParams } = new URL(request.url!, "http://engine");
  return {
    method: request.method!,
    path: pathname,
    parts: pathname.slice(1).split("/").map(decodeURIComponent),
    query: searchParams,
    headers: request.headers,
    body: await text(request),
  };
}

function turnOf(answer: Reply | Resuming, usual: Turn[]): Reply | "lost" | "no answer" {
  if (!("act" in answer)) return answer;
  const { act, script = usual } = answer;
  const turn = script.shift();
  if (turn === undefined) return act();
  if (turn === "lost") {
    act();
    return "lost";
  }
  if (!("reached" in turn)) return turn;
  if (turn.acts) act();
  turn.reached();
  return "no answer";
}

/** Returns the body as JSON; undefined if it is not JSON. */
export function jsonOf({ body }: Pick<Call, "body">): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
