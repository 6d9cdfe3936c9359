import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { isObject, type Json } from "./slack/check.ts";
import type { Entry } from "./slack/inputs.ts";
import {
  type Click,
  clickPost,
  clickView,
  type Deliver,
  dismissView,
  type Outcome,
  signedHeaders,
  submitView,
} from "./slack/interactions.ts";
import { exchangeCode, METHODS, respond } from "./slack/methods.ts";
import { Refusal } from "./slack/refusal.ts";
import {
  type Channel,
  createWorkspace,
  type Failure,
  newId,
  newSecret,
  type Post,
  type User,
  type Vendor,
  type View,
  type Workspace,
} from "./slack/workspace.ts";

/** Where the vendor sends what people do. */
const INTERACTIONS_PATH = "/api/channels/slack/interactions";

/** A service without a port. */
interface Injectable {
  inject(request: {
    method: "POST";
    url: string;
    headers: Record<string, string>;
    payload: string;
  }): Promise<{ statusCode: number; body: string }>;
}

export interface SlackOptions {
  /** Epoch milliseconds. */
  now?: () => number;
  /** What the bot token may do. */
  scopes?: readonly string[];
  /** Whether more than one message per second and channel is too much. */
  postRate?: boolean;
  /** How long an acknowledgment may take. */
  ackMs?: number;
}

/** One workspace that the app is installed in. */
export interface SlackTeam {
  team: { id: string; name: string };
  /** The bot's. */
  token: string;
  /** Current messages, oldest first; each keeps what it said before. */
  posts: Post[];
  /** Open modals. */
  views: View[];
  addUser(user: { id?: string; email?: string; name: string; active?: boolean }): User;
  addChannel(channel: {
    name: string;
    private?: boolean;
    archived?: boolean;
    joined?: boolean;
    members?: User[];
  }): Channel;
  /** What `oauth.v2.access` takes, once, after somebody has allowed the app. */
  allow(redirect_uri?: string): string;
  /** Takes the app out of the workspace. */
  uninstall(): void;
}

/** A real server on loopback that answers as the vendor does, and holds the service to the vendor's limits. */
export interface Slack extends SlackTeam {
  url: string;
  /** For `slackApiUrl`. */
  apiUrl: string;
  signingSecret: string;
  clientId: string;
  clientSecret: string;
  /** For Socket Mode. */
  appToken: string;
  /** What the vendor refused of the service; empty when all went well. */
  failures: Failure[];
  /** What the service called, oldest first. */
  calls: Array<{ method: string; args: Json }>;
  /** Another workspace. */
  addTeam(name: string): SlackTeam;
  /** Where interactions go: a base address, or a service without a port. */
  sendTo(service: string | Injectable): void;
  /** The next calls of a method are answered 429. */
  limit(method: string, times: number, seconds: number): void;
  /** The next calls of a method are refused with an error. */
  refuse(method: string, times: number, error: string): void;
  /** Resolves once `look` finds something, whatever call brings it. */
  until<T>(look: () => T | null | undefined | false): Promise<T>;
  click(click: Click & { post: Post }): Promise<Outcome>;
  clickInView(click: Click & { view: View }): Promise<Outcome>;
  submit(what: { user: User; view: View; values?: Record<string, Record<string, Entry>> }): Promise<Outcome>;
  dismiss(what: { user: User; view: View }): Promise<Outcome>;
  /** Sends any payload, signed with any secret at any second: what is not from the vendor. */
  send(payload: Json, forged?: { secret?: string; seconds?: number }): Promise<{ status: number; body: string }>;
  close(): Promise<void>;
}

export async function startSlack(options: SlackOptions = {}): Promise<Slack> {
  const { now = Date.now, ackMs = 3000 } = options;
  const vendor: Vendor = {
    url: "",
    now,
    app: {
      id: newId("A"),
      clientId: `${Date.now()}.1`,
      clientSecret: newSecret(),
      signingSecret: newSecret(),
      appToken: `xapp-1-${newSecret()}`,
    },
    workspaces: [],
    failures: [],
    planned: new Map(),
    codes: new Map(),
    postRate: options.postRate ?? false,
  };
  const calls: Slack["calls"] = [];
  const waiting = new Set<() => void>();
  let service: string | Injectable | null = null;

  const server = createServer((request, response) => {
    void answer(vendor, calls, request, response).finally(() => {
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const post = async (payload: Json, secret: string, seconds: number) => {
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const headers = signedHeaders(secret, seconds, body);
    if (service === null) throw new Error("sendTo() has not said where the service is");
    if (typeof service !== "string") {
      const { statusCode, body: answered } = await service.inject({
        method: "POST",
        url: INTERACTIONS_PATH,
        headers,
        payload: body,
      });
      return { status: statusCode, body: answered };
    }
    const answered = await fetch(`${service}${INTERACTIONS_PATH}`, {
      method: "POST",
      headers,
      body,
      redirect: "error",
    });
    return { status: answered.status, body: await answered.text() };
  };
  const seconds = () => Math.floor(now() / 1000);
  const deliver: Deliver = async (payload) => {
    const late = AbortSignal.timeout(ackMs);
    const lateness = new Promise<never>((_, reject) => {
      late.addEventListener("abort", () => reject(new Error("answered too late, or not at all")), { once: true });
    });
    return Promise.race([post(payload, vendor.app.signingSecret, seconds()), lateness]);
  };
  const workspaceOf = (user: User) => {
    const found = vendor.workspaces.find(({ users }) => users.get(user.id) === user);
    if (!found) throw new Error(`${user.name} is in no workspace.`);
    return found;
  };
  const addTeam = (name: string): SlackTeam => {
    const workspace = createWorkspace(name, options.scopes);
    vendor.workspaces.push(workspace);
    return teamOf(vendor, workspace);
  };

  return {
    ...addTeam("Acme"),
    url: vendor.url,
    apiUrl: `${vendor.url}/api/`,
    signingSecret: vendor.app.signingSecret,
    clientId: vendor.app.clientId,
    clientSecret: vendor.app.clientSecret,
    appToken: vendor.app.appToken,
    failures: vendor.failures,
    calls,
    addTeam,
    sendTo: (target) => void (service = target),
    limit: (method, times, seconds) => plan(vendor, method, times, { seconds }),
    refuse: (method, times, error) => plan(vendor, method, times, { error }),
    until: (look) =>
      new Promise((resolve) => {
        const check = () => {
          const found = look();
          if (found === null || found === undefined || found === false) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
    click: async ({ post, ...click }) => clickPost(vendor, workspaceOf(click.user), deliver, post, click),
    clickInView: async ({ view, ...click }) => clickView(vendor, workspaceOf(click.user), deliver, view, click),
    submit: async ({ user, view, values = {} }) => submitView(vendor, workspaceOf(user), deliver, view, user, values),
    dismiss: async ({ user, view }) => dismissView(vendor, workspaceOf(user), deliver, view, user),
    send: async (payload, { secret = vendor.app.signingSecret, seconds: at = seconds() } = {}) =>
      post(payload, secret, at),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function plan(vendor: Vendor, method: string, times: number, outcome: { seconds: number } | { error: string }): void {
  const planned = vendor.planned.get(method) ?? [];
  vendor.planned.set(method, [...planned, ...Array.from({ length: times }, () => outcome)]);
}

function teamOf(vendor: Vendor, workspace: Workspace): SlackTeam {
  const { team, token, posts, views, users, channels } = workspace;
  return {
    team,
    token,
    posts,
    views,
    addUser: ({ id = newId("U"), email = null, name, active = true }: Partial<User> & { name: string }) => {
      const user = { id, email, name, active };
      users.set(id, user);
      return user;
    },
    addChannel: ({ name, private: isPrivate = false, archived = false, joined = true, members }) => {
      const ids = members ? new Set(members.map(({ id }) => id)) : null;
      const channel = { id: newId("C"), name, private: isPrivate, archived, joined, members: ids };
      channels.set(channel.id, channel);
      return channel;
    },
    allow: (redirect_uri) => {
      const code = newSecret();
      vendor.codes.set(code, { workspace, redirect_uri: redirect_uri ?? null, at: vendor.now() });
      return code;
    },
    uninstall: () => void (workspace.revoked = true),
  };
}

async function answer(
  vendor: Vendor,
  calls: Slack["calls"],
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
  const at = room === "actions" ? "response_url" : path.join("/");
  try {
    if (room === "actions") {
      respond(vendor, path.at(-1) ?? "", parseJson(body));
      response.writeHead(200, { "content-type": "text/html" }).end("ok");
    } else if (room === "api") {
      const { result, headers } = callMethod(vendor, calls, at, request, url, body);
      send(200, { ok: true, ...result }, headers);
    } else send(404, { ok: false, error: "not_found" });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message, messages, details } = error;
    // That nobody has an address is an answer; what a test asked for is not the service's doing.
    const isFailure = message !== "users_not_found" && details.planned !== true;
    if (isFailure) vendor.failures.push({ at, error: message, messages: [...messages] });
    const { retry_after, planned: _, ...refused } = error.body();
    // Page "Rate limits": HTTP 429 with Retry-After in seconds. All else is HTTP 200.
    if (typeof retry_after === "number") send(429, refused, { "retry-after": String(retry_after) });
    else if (room === "actions") send(message.endsWith("_url") ? 404 : 400, refused);
    else send(200, refused);
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Page "Using the Slack Web API": arguments come as a query, a form, or JSON; what is structured, in a form as JSON text. */
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
  calls: Slack["calls"],
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
