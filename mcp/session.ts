import { randomUUID } from "node:crypto";
import { declaresApps } from "./app.ts";

/*
 * Clients of earlier revisions say what they show once, when they connect, and each of their later requests may reach another
 * process. So the id of their session says it. It proves nothing, and need not: each request has its own token.
 */

/** The header with which such a client repeats the id that it got. (MCP 2025-11-25: Session Management) */
const SESSION = "mcp-session-id";
const SHOWS_FORMS = "-forms";

/** Returns whether a request is of a session whose client shows our form. */
export function isOfForms(request: Request | undefined): boolean {
  return request?.headers.get(SESSION)?.endsWith(SHOWS_FORMS) === true;
}

/** Returns whether a request may open a session. Clients of this revision, and those that have one, send more headers. */
export function mayOpen({ headers }: Request): boolean {
  return !headers.has(SESSION) && !headers.has("mcp-method");
}

/**
 * Returns the response to a message with the id of a session, if the message opens one for a client that shows our form.
 * @param body - the message, which may be anything
 */
export function withSession(response: Response, body: unknown): Response {
  const { method, params } = Object(body) as { method?: unknown; params?: unknown };
  const { capabilities } = Object(params) as { capabilities?: unknown };
  if (!response.ok || method !== "initialize" || !declaresApps(capabilities)) return response;
  const headers = new Headers(response.headers);
  headers.set(SESSION, `${randomUUID()}${SHOWS_FORMS}`);
  return new Response(response.body, { status: response.status, headers });
}
