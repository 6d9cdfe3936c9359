import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { createClient } from "../sdk/index.ts";
import { AGENT_NAME, createRequests } from "./requests.ts";
import { createServer } from "./server.ts";

export interface HttpOptions {
  /** Where the service's API is, without a slash at the end. */
  baseUrl: string;
  /** Where people find its pages. */
  pagesUrl: string;
  version: string;
  stopping: AbortSignal;
  /** Whose requests those of callers are that name no agent. */
  agent?: string;
  /** How the API is called. */
  fetch?: typeof fetch;
  onError?: (error: Error) => void;
}

/**
 * Streamable HTTP, a server for each request and nothing kept between them, so that any replica answers. Each request acts
 * with the bearer token that it brings: what that may do, the service decides. `?agent=refunds` names whose requests they are.
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
      const client = createClient({ baseUrl, token: bearerOf(requestInfo) ?? "none", fetch });
      const agent = agentOf(requestInfo) ?? unnamed;
      return createServer(createRequests({ client, pagesUrl, agent, stopping }), version);
    },
    onError === undefined ? {} : { onerror: onError },
  );
}

/** Whose requests they are when nobody said. */
export const DEFAULT_AGENT = "agent";

/**
 * Why a request is not handed on, before anything of it is done.
 * @returns null: there is nothing against it
 */
export function refusalOf(request: Request): Response | null {
  const refuse = (status: number, message: string, headers: Record<string, string> = {}) =>
    Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } }, { status, headers });
  if (bearerOf(request) === undefined)
    return refuse(401, "Send Authorization: Bearer with the service's admin token.", { "www-authenticate": "Bearer" });
  if (agentOf(request) === null)
    return refuse(400, "agent takes letters, digits, dots, underscores and hyphens: 63 of them at most.");
  return null;
}

function bearerOf(request: Request | undefined): string | undefined {
  return /^bearer ([!-~]+)$/i.exec(request?.headers.get("authorization") ?? "")?.[1];
}

/** undefined: none was given; null: none that could be one. */
function agentOf(request: Request | undefined): string | null | undefined {
  const given = request === undefined ? null : new URL(request.url).searchParams.get("agent");
  if (given === null) return undefined;
  return AGENT_NAME.test(given) ? given : null;
}
