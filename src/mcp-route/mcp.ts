import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import type { Config } from "../config.ts";
import type { Logger } from "pino";
import { ServiceError } from "../errors.ts";
import { keyringOf } from "../lib/keys.ts";
import { callerOf, type Caller } from "../people/caller.ts";
import { isAnswer } from "../tasks/poll.ts";
import { pollTask, type PollContext } from "../tasks/tasks.ts";
import type { createHttpHandler } from "../../mcp/http.ts";
import type { Seen, WaitFor } from "../../mcp/requests.ts";
import { requireOwnOrigin, toWebRequest } from "./web-request.ts";

/** Where MCP clients find the service. */
export const MCP_PATH = "/mcp";

interface Ctx extends PollContext {
  config: Config;
  version: string;
  log: Logger;
}

/**
 * The Model Context Protocol, for agents whose host speaks it: the tools of `mcp/`, over Streamable HTTP. They call the
 * API with the token of the request, as any program does, so the API decides what a tool may do.
 */
export const mcpRoutes: FastifyPluginAsync<{ ctx: Ctx }> = async (app, { ctx }) => {
  const stop = new AbortController();
  app.addHook("preClose", async () => stop.abort());

  let handler: Promise<ReturnType<typeof createHttpHandler>> | undefined;
  // Most services never speak it, and a start does not load what it may not need.
  const load = async () => {
    const [{ createHttpHandler }, fetch] = await Promise.all([import("../../mcp/http.ts"), directFetch()]);
    return createHttpHandler({
      baseUrl: ownUrl(app),
      pagesUrl: ctx.config.publicUrl,
      version: ctx.version,
      fetch,
      stopping: stop.signal,
      // Every replica has them, so any of them takes the other half of a call.
      stateKeys: keyringOf(ctx.config, "mcp_state").accepted,
      onError: (error) => ctx.log.debug({ err: error }, "An MCP request was refused"),
    });
  };

  app.route({
    // Without sessions there is no stream to open and nothing to delete: other methods are 405, as the protocol says.
    method: "POST",
    url: MCP_PATH,
    schema: { hide: true, security: [{ bearer: [] }] },
    handler: async (request, reply) => {
      const { kind } = callerOf(request);
      if (kind !== "admin" && kind !== "agent") throw new ServiceError("FORBIDDEN");
      requireOwnOrigin(request, ctx.config.publicUrl);
      const { refusalOf } = await import("../../mcp/http.ts");
      const { fetch } = await (handler ??= load());
      const asked = toWebRequest(request, reply, ctx.config.publicUrl);
      const waitFor: WaitFor = async (id, how, signal) => waitHere(ctx, callerOf(request), id, how, signal);
      return reply.send(refusalOf(asked) ?? (await fetch(asked, { parsedBody: request.body, waitFor })));
    },
  });
};

/** Length of one wait, and the pause after one that ended early: a stopping service ends each wait at once. */
const WAIT_SECONDS = 3600;
const PAUSE_MS = 500;

/**
 * Waits as a poll does, but for longer. Returns null if the task is deleted.
 * @throws ServiceError AGENT_TOKEN_REVOKED, AGENT_DISABLED; the reason of the signal
 */
async function waitHere(
  ctx: PollContext,
  caller: Caller,
  id: string,
  { until, seconds = WAIT_SECONDS }: Parameters<WaitFor>[1],
  signal: AbortSignal,
): Promise<Seen | null> {
  const asked = performance.now();
  try {
    const task = await pollTask(ctx, caller, id, seconds, signal, until);
    if (!isAnswer(task, until) && performance.now() - asked < PAUSE_MS) await sleep(PAUSE_MS, undefined, { signal });
    return task;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError && error.code === "TASK_NOT_FOUND") return null;
    throw error;
  }
}

/** Whatever the environment says of proxies: the call, and the token in it, stay within this machine. */
async function directFetch(): Promise<typeof fetch> {
  const { Agent, fetch: undiciFetch } = await import("undici");
  const within = new Agent();
  // The types of the platform's fetch are those of an older undici.
  return (async (url: string, init: object) =>
    undiciFetch(url, { ...init, dispatcher: within })) as unknown as typeof fetch;
}

/** Where this process itself listens. */
function ownUrl(app: FastifyInstance): string {
  const { address, port, family } = app.server.address() as AddressInfo;
  // All addresses of this machine are `::` where it has both families, and also where it is the only word for them.
  const isAll = address === "0.0.0.0" || address === "::";
  const host = isAll ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
