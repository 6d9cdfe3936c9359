import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { createClient } from "../sdk/index.ts";
import { AGENT_NAME, createRequests, isAgentToken, PROJECT_SLUG, type NamedAsker } from "./requests.ts";
import { createServer } from "./server.ts";

export interface HttpOptions {
  /** URL of the service's API, without a slash at the end. */
  baseUrl: string;
  /** URL of its pages. */
  pagesUrl: string;
  version: string;
  stopping: AbortSignal;
  /** Agent and project of callers that send the admin token and do not name them. */
  asker?: NamedAsker;
  /** Replaces `fetch` for calls of the API. */
  fetch?: typeof fetch;
  onError?: (error: Error) => void;
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
  asker: unnamed = { agent: DEFAULT_AGENT },
  fetch,
  onError,
}: HttpOptions): McpHttpHandler {
  return createMcpHandler(
    ({ requestInfo }) => {
      const token = bearerOf(requestInfo) ?? "none";
      const client = createClient({ baseUrl, token, fetch });
      const asker = isAgentToken(token)
        ? null
        : {
            agent: named("agent", AGENT_NAME, requestInfo) ?? unnamed.agent,
            project: named("project", PROJECT_SLUG, requestInfo) ?? unnamed.project,
          };
      return createServer(createRequests({ client, pagesUrl, asker, stopping }), version);
    },
    onError === undefined ? {} : { onerror: onError },
  );
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
