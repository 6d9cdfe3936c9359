import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { SECOND } from "../lib/time.ts";

/** How long a connection may take to bring a request that it has begun, once the service stops. */
const QUIET_MS = 1 * SECOND;
/** How long answers under way may take then. */
const DRAIN_MS = 15 * SECOND;

/**
 * Sees to it that a stop ends. `server.close` waits for every connection that is not idle, and one on which nothing was
 * ever sent, or half of a request, does not count as idle: a browser's spare connection would hold up the stop for ever.
 * One that is busy ends with its answer, since one that was kept for another request would hold it up as well.
 */
export function endConnections(server: Server): { begin(): void; done(): void } {
  /** What each open connection is being asked and answered, null between requests. */
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
