import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { Agent, fetch as undiciFetch } from "undici";
import type { Config } from "../config.ts";
import type { Logger } from "pino";
import { ServiceError } from "../errors.ts";
import { isOwnOrigin } from "../http/same-origin.ts";
import { keyringOf } from "../lib/keys.ts";
import { callerOf, type Caller } from "../people/caller.ts";
import { isTerminal } from "../tasks/lifecycle.ts";
import { pollTask, type PollContext } from "../tasks/tasks.ts";
import type { createHttpHandler } from "../../mcp/http.ts";

/** Where MCP clients find the service. */
export const MCP_PATH = "/mcp";

interface Ctx extends PollContext {
  config: Config;
  version: string;
  log: Logger;
}

/**
 * The Model Context Protocol, for agents whose host speaks it: the five tools of `mcp/`, over Streamable HTTP. They call the
 * API with the token of the request, as any program does, so the API decides what a tool may do.
 */
export const mcpRoutes: FastifyPluginAsync<{ ctx: Ctx }> = async (app, { ctx }) => {
  const stop = new AbortController();
  app.addHook("preClose", async () => stop.abort());

  let handler: ReturnType<typeof createHttpHandler> | undefined;
  // Most services never speak it, and a start does not load what it may not need.
  const load = async () => {
    const { createHttpHandler } = await import("../../mcp/http.ts");
    return (handler ??= createHttpHandler({
      baseUrl: ownUrl(app),
      pagesUrl: ctx.config.publicUrl,
      version: ctx.version,
      fetch: direct,
      stopping: stop.signal,
      // Every replica has them, so any of them takes the other half of a call.
      stateKeys: keyringOf(ctx.config, "mcp_state").accepted,
      onError: (error) => ctx.log.debug({ err: error }, "An MCP request was refused"),
    }));
  };

  app.route({
    // Without sessions there is no stream to open and nothing to delete: other methods are 405, as the protocol says.
    method: "POST",
    url: MCP_PATH,
    schema: { hide: true, security: [{ bearer: [] }] },
    handler: async (request, reply) => {
      const { kind } = callerOf(request);
      if (kind !== "admin" && kind !== "agent") throw new ServiceError("FORBIDDEN");
      const { origin } = request.headers;
      // The protocol demands it, although no page can have the token.
      if (origin !== undefined && !isOwnOrigin(request, origin, ctx.config.publicUrl))
        throw new ServiceError("FORBIDDEN", { message: "A page of another origin may not use MCP." });
      const { refusalOf } = await import("../../mcp/http.ts");
      const { fetch } = await load();
      const left = new AbortController();
      reply.raw.once("close", () => left.abort());
      const asked = new Request(new URL(request.url, ctx.config.publicUrl), {
        method: request.method,
        headers: Object.entries(request.headers).flatMap(([name, value]) =>
          [value ?? []].flat().map((one): [string, string] => [name, one]),
        ),
        signal: left.signal,
      });
      const untilEnded = async (id: string, signal: AbortSignal) => waitForEnd(ctx, callerOf(request), id, signal);
      return reply.send(refusalOf(asked) ?? (await fetch(asked, { parsedBody: request.body, untilEnded })));
    },
  });
};

/** Length of one wait, and the pause before the next: a stopping service ends each wait at once. */
const WAIT_SECONDS = 3600;
const PAUSE_MS = 500;

/**
 * Resolves once a task is closed or deleted. It waits as a poll does, but for as long as the signal allows.
 * @throws ServiceError AGENT_TOKEN_REVOKED, AGENT_DISABLED; the reason of the signal
 */
async function waitForEnd(ctx: PollContext, caller: Caller, id: string, signal: AbortSignal): Promise<void> {
  try {
    while (!isTerminal((await pollTask(ctx, caller, id, WAIT_SECONDS, signal)).status))
      await sleep(PAUSE_MS, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError && error.code === "TASK_NOT_FOUND")) throw error;
  }
}

/** Whatever the environment says of proxies: the call, and the token in it, stay within this machine. */
const within = new Agent();
// The types of the platform's fetch are those of an older undici.
const direct = (async (url: string, init: object) =>
  undiciFetch(url, { ...init, dispatcher: within })) as unknown as typeof fetch;

/** Where this process itself listens. */
function ownUrl(app: FastifyInstance): string {
  const { address, port, family } = app.server.address() as AddressInfo;
  // All addresses of this machine are `::` where it has both families, and also where it is the only word for them.
  const isAll = address === "0.0.0.0" || address === "::";
  const host = isAll ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
