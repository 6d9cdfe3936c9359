import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { authorize, refusedPage } from "./authorize.ts";
import { isObject, type Json, parseJson } from "./check.ts";
import { exchangeCode, METHODS, respond } from "./methods.ts";
import { Refusal } from "./refusal.ts";
import type { SocketMode } from "./socket.ts";
import type { Vendor } from "./workspace.ts";

/** A call of the service. */
export interface Call {
  method: string;
  args: Json;
}

const PAGE = { "content-type": "text/html; charset=utf-8" };

/** Answers one request: a method of the Web API, a post to a response_url, or the page where people allow the app. */
export async function answer(
  vendor: Vendor,
  calls: Call[],
  socket: SocketMode,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", vendor.url);
  const [, room, ...path] = url.pathname.split("/");
  const body = await text(request);
  const send = (status: number, value: Json, headers: Record<string, string> = {}) =>
    response
      .writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
      .end(JSON.stringify(value));
  const at = room === "api" ? path.join("/") : room === "actions" ? "response_url" : url.pathname.slice(1);
  try {
    if (room === "actions") {
      respond(vendor, path.at(-1) ?? "", parseJson(body));
      response.writeHead(200, { "content-type": "text/html" }).end("ok");
    } else if (room === "api") {
      await interrupt(vendor, `before ${at}`);
      const { result, headers } = callMethod(vendor, calls, socket, at, request, url, body);
      await interrupt(vendor, `after ${at}`);
      send(200, { ok: true, ...result }, headers);
    } else if (at === "oauth/v2/authorize") {
      const pressed = request.method === "POST" ? new URLSearchParams(body) : null;
      const answered = authorize(vendor, url.searchParams, pressed);
      if ("location" in answered) response.writeHead(302, { location: answered.location }).end();
      else response.writeHead(200, PAGE).end(answered.html);
    } else send(404, { ok: false, error: "not_found" });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message, messages, details } = error;
    // An unknown address is a normal answer, and a planned failure is not a fault of the service.
    const isFailure = message !== "users_not_found" && details.planned !== true;
    if (isFailure) vendor.failures.push({ at, error: message, messages: [...messages] });
    const { retry_after, planned: _, ...refused } = error.body();
    // Page "Rate limits": HTTP 429 with Retry-After in seconds. Every other answer is HTTP 200.
    if (typeof retry_after === "number") send(429, refused, { "retry-after": String(retry_after) });
    else if (room === "oauth") response.writeHead(200, PAGE).end(refusedPage(message));
    else if (room === "actions") send(message.endsWith("_url") ? 404 : 400, refused);
    else send(200, refused);
  }
}

async function interrupt({ interruptions }: Vendor, at: string): Promise<void> {
  const happens = interruptions.get(at);
  interruptions.delete(at);
  await happens?.();
}

/**
 * Page "Using the Slack Web API": arguments are a query, a form, or JSON. Structured values in a form are JSON text.
 */
function readArgs(request: IncomingMessage, url: URL, body: string, takesJson: boolean): Json {
  const type = (request.headers["content-type"] ?? "").split(";")[0]!.trim();
  const args: Json = Object.fromEntries(url.searchParams);
  if (type === "application/json") {
    const sent = parseJson(body);
    if (sent === undefined) throw new Refusal("invalid_json");
    if (!isObject(sent)) throw new Refusal("json_not_object");
    if (takesJson) Object.assign(args, sent);
  } else if (type === "application/x-www-form-urlencoded") {
    Object.assign(args, Object.fromEntries(new URLSearchParams(body)));
  } else if (body !== "") throw new Refusal(type === "" ? "missing_post_type" : "invalid_post_type");
  for (const name of ["blocks", "view", "metadata"]) {
    if (typeof args[name] !== "string") continue;
    args[name] = parseJson(args[name]) ?? null;
    if (args[name] === null && name === "blocks") throw new Refusal("invalid_blocks_format");
  }
  return args;
}

function callMethod(
  vendor: Vendor,
  calls: Call[],
  socket: SocketMode,
  name: string,
  request: IncomingMessage,
  url: URL,
  body: string,
): { result: Json; headers: Record<string, string> } {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  const args = readArgs(request, url, body, method?.json ?? name !== "oauth.v2.access");
  const { token: inArgs, ...rest } = args;
  calls.push({ method: name, args: rest });

  const next = vendor.planned.get(name)?.shift();
  if (next && "seconds" in next) throw new Refusal("ratelimited", [], { retry_after: next.seconds, planned: true });
  if (next) throw new Refusal(next.error, [], { planned: true });

  const [scheme, given] = (request.headers.authorization ?? "").split(" ");
  if (name === "oauth.v2.access") {
    const basic = scheme === "Basic" ? Buffer.from(given ?? "", "base64").toString() : null;
    return { result: exchangeCode(vendor, rest, basic), headers: {} };
  }
  if (name === "apps.connections.open") {
    // The method's page: an app-level token, only in the header.
    if (given === undefined) throw new Refusal("not_authed");
    if (given !== vendor.app.appToken) throw new Refusal("not_allowed_token_type");
    return { result: { url: socket.open() }, headers: {} };
  }
  if (!method) throw new Refusal("unknown_method");
  const token = given ?? inArgs;
  if (typeof token !== "string" || token === "") throw new Refusal("not_authed");
  if (token === vendor.app.appToken) throw new Refusal("not_allowed_token_type");
  const workspace = vendor.workspaces.find((known) => known.token === token);
  if (!workspace) throw new Refusal("invalid_auth");
  if (workspace.revoked) throw new Refusal("token_revoked");
  const provided = workspace.scopes.join(",");
  if (method.scopes.length > 0 && !method.scopes.some((scope) => workspace.scopes.includes(scope)))
    throw new Refusal("missing_scope", [], { needed: method.scopes.join(","), provided });
  const headers = { "x-oauth-scopes": provided, "x-accepted-oauth-scopes": method.scopes.join(",") };
  return { result: method.run({ vendor, workspace, args: rest }), headers };
}
