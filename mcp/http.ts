import {
  createMcpHandler,
  INTERNAL_ERROR,
  readRequestBody,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
} from "@modelcontextprotocol/server";
import { createClient, HumanTaskError } from "../sdk/index.ts";
import { listenOverHttp } from "./listen-http.ts";
import { known, LISTEN, readListen } from "./listening.ts";
import {
  AGENT_NAME,
  createRequests,
  isAgentToken,
  PROJECT_SLUG,
  type NamedAsker,
  type Requests,
  type WaitFor,
} from "./requests.ts";
import { createStateSeal, stateKeyOf, type StateSeal } from "./request-state.ts";
import { reviewReader } from "./review.ts";
import { createServer } from "./server.ts";
import { isOfForms, mayOpen, withSession } from "./session.ts";
import { fetchInTrace } from "./trace.ts";

export interface HttpOptions {
  /** URL of the service's API, without a slash at the end. */
  baseUrl: string;
  /** URL of its pages. */
  pagesUrl: string;
  version: string;
  stopping: AbortSignal;
  /** Agent and project of callers that send the admin token and do not name them. */
  asker?: NamedAsker;
  /** Keys of the states of calls that ask for input. Default: one from the token of each caller. */
  stateKeys?: readonly Uint8Array[];
  /** Replaces `fetch` for calls of the API. */
  fetch?: typeof fetch;
  onError?: (error: Error) => void;
}

export interface HttpHandler extends McpHttpHandler {
  /** @param options - `waitFor`: how this caller waits for news of a request. Default: by polls of the API. */
  fetch: (request: Request, options?: McpHandlerRequestOptions & { waitFor?: WaitFor }) => Promise<Response>;
}

/**
 * Serves Streamable HTTP with a new server for each request and no state, so that any replica can answer. Each request uses
 * its own bearer token; the service decides what it may do. The agent is the one that the token belongs to. With the admin
 * token, `?agent=refunds` names it, and `?project=payments` its project.
 */
export function createHttpHandler({
  baseUrl,
  pagesUrl,
  version,
  stopping,
  stateKeys,
  asker: unnamed = { agent: DEFAULT_AGENT },
  fetch,
  onError,
}: HttpOptions): HttpHandler {
  // The global function is read at each call, because tests and tracers replace it.
  const ownFetch = fetchInTrace(fetch ?? (async (...args) => globalThis.fetch(...args)));
  const tokenOf = (request: Request | undefined): string => bearerOf(request) ?? "none";
  const askerOf = (request: Request | undefined): NamedAsker | null =>
    isAgentToken(tokenOf(request))
      ? null
      : {
          agent: named("agent", AGENT_NAME, request) ?? unnamed.agent,
          project: named("project", PROJECT_SLUG, request) ?? unnamed.project,
        };
  const sealOf = (request: Request | undefined): StateSeal => {
    const token = tokenOf(request);
    return createStateSeal(stateKeys ?? [stateKeyOf(token)], token, askerOf(request));
  };
  const requestsOf = (request: Request | undefined, waitFor?: WaitFor): Requests => {
    const token = tokenOf(request);
    const client = createClient({ baseUrl, token, fetch: ownFetch });
    const readReview = reviewReader({ baseUrl, token }, ownFetch);
    return createRequests({ client, pagesUrl, asker: askerOf(request), stopping, waitFor, readReview });
  };
  const handler = createMcpHandler(
    ({ requestInfo, era }) =>
      createServer(requestsOf(requestInfo), sealOf(requestInfo), version, era, isOfForms(requestInfo)),
    onError === undefined ? {} : { onerror: onError },
  );
  return {
    ...handler,
    fetch: async (request, { waitFor, ...options } = {}) => {
      if (mayOpen(request)) {
        const body = options.parsedBody ?? (await jsonOf(request.clone()));
        return withSession(await handler.fetch(request, options), body);
      }
      // Clients must send this header, and the handler refuses those that do not.
      if (request.headers.get("mcp-method") !== LISTEN) return handler.fetch(request, options);
      const body = options.parsedBody ?? (await jsonOf(request.clone()));
      const call = readListen(body);
      if (call === null) return handler.fetch(request, options);
      if ("error" in call) return Response.json(call, { status: 400 });
      const open = async (isOfTasks: boolean) =>
        handler.fetch(request, { ...options, parsedBody: isOfTasks ? withTools(body) : body });
      const left = AbortSignal.any([stopping, request.signal]);
      try {
        const requests = requestsOf(request, waitFor);
        const followed = call.taskIds && (await known(requests, call.taskIds, left));
        return await listenOverHttp(requests, { ...call, taskIds: followed }, open, {
          stopping,
          onError: onError ?? (() => {}),
        });
      } catch (error) {
        if (!(error instanceof HumanTaskError)) throw error;
        const { message } = error;
        return Response.json({ jsonrpc: "2.0", id: call.id, error: { code: INTERNAL_ERROR, message } });
      }
    },
  };
}

/** Returns a call that also asks for changes of the list of tools. There are none, and the answer does not mention it. */
function withTools(body: unknown): unknown {
  const call = body as { params: { notifications: object } };
  return {
    ...call,
    params: { ...call.params, notifications: { ...call.params.notifications, toolsListChanged: true } },
  };
}

/** Maximum size of the body that opens a stream or a session. */
const OPENING_BYTES_MAX = 100_000;

/** Returns the body of a request, or null if it is too large or not JSON. */
async function jsonOf(request: Request): Promise<unknown> {
  const body = await readRequestBody(request, OPENING_BYTES_MAX);
  try {
    return body.tooLarge ? null : (JSON.parse(body.text) as unknown);
  } catch {
    return null;
  }
}

/** Default name of the agent, with the admin token. */
export const DEFAULT_AGENT = "agent";

export const AGENT_NAME_RULE = "may have at most 63 letters, digits, dots, underscores and hyphens.";
export const PROJECT_SLUG_RULE = "is a slug: 1 to 64 of a to z, 0 to 9 and hyphens.";

/**
 * Returns the error response for an invalid request, or null.
 */
export function refusalOf(request: Request): Response | null {
  const refuse = (status: number, message: string, headers: Record<string, string> = {}) =>
    Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } }, { status, headers });
  if (bearerOf(request) === undefined)
    return refuse(401, "Send Authorization: Bearer with the token of an agent.", { "www-authenticate": "Bearer" });
  if (named("agent", AGENT_NAME, request) === null) return refuse(400, `agent ${AGENT_NAME_RULE}`);
  if (named("project", PROJECT_SLUG, request) === null) return refuse(400, `project ${PROJECT_SLUG_RULE}`);
  return null;
}

function bearerOf(request: Request | undefined): string | undefined {
  return /^bearer ([!-~]+)$/i.exec(request?.headers.get("authorization") ?? "")?.[1];
}

/** Returns what the address names by a parameter: undefined if it is not there, and null if it is invalid. */
function named(parameter: string, rule: RegExp, request: Request | undefined): string | null | undefined {
  const given = request === undefined ? null : new URL(request.url).searchParams.get(parameter);
  if (given === null) return undefined;
  return rule.test(given) ? given : null;
}
