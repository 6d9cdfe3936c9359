import { createServer, type IncomingHttpHeaders } from "node:http";
import type { TestContext } from "node:test";
import type { Engine, Turn } from "./engine.ts";

/** A request that a stand-in got, with its whole body. */
export interface Received {
  method: string;
  /** Path and query, as sent. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON; undefined: no body. */
  body?: unknown;
}

/**
 * Serves a stand-in on loopback until the test ends.
 * @param answer - does what the engine documents. Whatever it throws is answered with 500
 * @returns its address, without a slash at the end
 */
export async function serveEngine(
  t: TestContext,
  answer: (received: Received) => Reply | "lost" | Promise<Reply | "lost">,
): Promise<{ url: string; close: Engine["close"] }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    const reply = async (): Promise<Reply | "lost"> => {
      const { method = "", url = "", headers } = request;
      try {
        return await answer({ method, path: url, headers, body: Buffer.concat(chunks) });
      } catch (error) {
        return { status: 500, body: { message: String(error) } };
      }
    };
    const send = ({ status, headers, body }: Reply) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      response.writeHead(status, { ...(text !== undefined && { "Content-Type": "application/json" }), ...headers });
      response.end(text);
    };
    request.once("end", () => void reply().then((got) => (got === "lost" ? response.destroy() : send(got))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  t.after(close);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The stand-in has no port.");
  return { url: `http://127.0.0.1:${address.port}`, close };
}

/** Answers a request that would resume something as the script says; without one, as documented. @param act - does it */
export function byScript(script: Turn[], act: () => Reply): Reply | "lost" {
  const turn = script.shift();
  if (turn === undefined) return act();
  if (turn !== "lost") return turn;
  act();
  return "lost";
}
