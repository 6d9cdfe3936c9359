import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { createClient } from "../sdk/index.ts";
import { AGENT_NAME, createRequests, isAgentToken } from "./requests.ts";
import { createServer } from "./server.ts";

export interface HttpOptions {
  /** URL of the service's API, without a slash at the end. */
  baseUrl: string;
  /** URL of its pages. */
  pagesUrl: string;
  version: string;
  stopping: AbortSignal;
  /** Agent of callers that send the admin token and do not name one. */
  agent?: string;
  /** Replaces `fetch` for calls of the API. */
  fetch?: typeof fetch;
  onError?: (error: Error) => void;
}

/**
 * Serves Streamable HTTP with a new server for each request and no state, so that any replica can answer. Each request uses
 * its own bearer token; the service decides what it may do. The agent is the one that the token belongs to. With the admin
 * token, `?agent=refunds` names it.
 */
export function createHttpHandler({
  baseUrl,
  pagesUrl,
  version,
  stopping,
  agent: unnamed = DEFAULT_AGENT,
  fetch,
  onError,
}: HttpOptions): McpHttpHandler {
  return createMcpHandler(
    ({ requestInfo }) => {
      const token = bearerOf(requestInfo) ?? "none";
      const client = createClient({ baseUrl, token, fetch });
      const agent = isAgentToken(token) ? null : (agentOf(requestInfo) ?? unnamed);
      return createServer(createRequests({ client, pagesUrl, agent, stopping }), version);
    },
    onError === undefined ? {} : { onerror: onError },
  );
}

/** Default name of the agent, with the admin token. */
export const DEFAULT_AGENT = "agent";

/**
 * Returns the error response for an invalid request, or null.
 */
export function refusalOf(request: Request): Response | null {
  const refuse = (status: number, message: string, headers: Record<string, string> = {}) =>
    Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } }, { status, headers });
  if (bearerOf(request) === undefined)
    return refuse(401, "Send Authorization: Bearer with the token of an agent.", { "www-authenticate": "Bearer" });
  if (agentOf(request) === null)
    return refuse(400, "agent may have at most 63 letters, digits, dots, underscores and hyphens.");
  return null;
}

function bearerOf(request: Request | undefined): string | undefined {
  return /^bearer ([!-~]+)$/i.exec(request?.headers.get("authorization") ?? "")?.[1];
}

/** Returns undefined if no agent is given, and null if its name is invalid. */
function agentOf(request: Request | undefined): string | null | undefined {
  const given = request === undefined ? null : new URL(request.url).searchParams.get("agent");
  if (given === null) return undefined;
  return AGENT_NAME.test(given) ? given : null;
}
