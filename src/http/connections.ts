import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { SECOND } from "../lib/time.ts";

/** After a stop has begun, how long a connection may take to send the rest of its request. */
const QUIET_MS = 1 * SECOND;
/** After a stop has begun, how long answers in progress may take. */
const DRAIN_MS = 15 * SECOND;

/**
 * Makes sure that a stop ends. `server.close` waits for every connection that is not idle. A connection that sent
 * nothing, or half of a request, does not count as idle, so a browser's spare connection would block the stop forever.
 * A busy connection closes after its answer, because keeping it for another request would block the stop as well.
 */
export function endConnections(server: Server): { begin(): void; done(): void } {
  /** The current request and response of each open connection, null between requests. */
  const asked = new Map<Socket, { request: IncomingMessage; response: ServerResponse } | null>();
  let isStopping = false;
  const timers: NodeJS.Timeout[] = [];
  server.on("connection", (socket: Socket) => {
    asked.set(socket, null);
    socket.once("close", () => asked.delete(socket));
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    asked.set(request.socket, { request, response });
    if (isStopping) response.shouldKeepAlive = false;
    response.once("close", () => {
      if (asked.has(request.socket)) asked.set(request.socket, null);
    });
  });
  return {
    begin: () => {
      isStopping = true;
      for (const exchange of asked.values()) if (exchange) exchange.response.shouldKeepAlive = false;
      timers.push(
        setTimeout(() => {
          for (const [socket, exchange] of asked) if (!exchange?.request.complete) socket.destroy();
        }, QUIET_MS),
        setTimeout(() => server.closeAllConnections(), DRAIN_MS),
      );
    },
    done: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
