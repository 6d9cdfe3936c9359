import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Turn } from "./engine.ts";

/** A request to a stand-in. */
export interface Call {
  method: string;
  /** Without the query, and not decoded. */
  path: string;
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

/** A request that would resume something: `act` does it. */
export interface Resuming {
  act(): Reply;
}

/** A server on loopback. */
export interface StandIn {
  url: string;
  script: Turn[];
  /** All requests, as `POST /path`. */
  log: string[];
  close(): Promise<void>;
}

/** Serves what `answer` says, but for requests that resume something, which the script comes before. */
export async function startStandIn(t: TestContext, answer: (call: Call) => Reply | Resuming): Promise<StandIn> {
  const script: Turn[] = [];
  const log: string[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url!, "http://engine");
    const { method = "", headers } = request;
    log.push(`${method} ${pathname}`);
    const call = { method, path: pathname, query: searchParams, headers, body: Buffer.concat(chunks).toString() };
    const reply = turnOf(answer(call), script);
    if (reply === "lost") {
      response.destroy();
      return;
    }
    const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body);
    const type = reply.body === undefined ? {} : { "Content-Type": "application/json" };
    response.writeHead(reply.status, { ...type, ...reply.headers }).end(text);
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

function turnOf(answer: Reply | Resuming, script: Turn[]): Reply | "lost" {
  if (!("act" in answer)) return answer;
  const turn = script.shift();
  if (turn === undefined) return answer.act();
  if (turn !== "lost") return turn;
  answer.act();
  return "lost";
}
