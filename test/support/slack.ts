import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "./slack/check.ts";
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
import { addReply, eventOf, type Publish, type Retry, type Said } from "./slack/events.ts";
import { answer, type Call } from "./slack/server.ts";
import { createSocketMode, type SocketMode } from "./slack/socket.ts";
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

/** Slack sends interactions of people to this path, and events to the other one. */
const INTERACTIONS_PATH = "/api/channels/slack/interactions";
const EVENTS_PATH = "/api/channels/slack/events";

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
  /** The scopes of the bot token. */
  scopes?: readonly string[];
  /** Whether more than one message per second and channel is refused. */
  postRate?: boolean;
  /** How long an acknowledgment may take, in milliseconds. */
  ackMs?: number;
}

/** One workspace with an installation of the app. */
export interface SlackTeam {
  team: { id: string; name: string };
  /** The bot's token. */
  token: string;
  /** Current messages, oldest first. Each keeps its earlier content. */
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
  /** Simulates that a person allows the app. Returns a code that `oauth.v2.access` accepts once. */
  allow(redirect_uri?: string): string;
  /** Removes the app from the workspace. */
  uninstall(): void;
}

/** A real server on loopback that answers like Slack, and enforces Slack's limits. */
export interface Slack extends SlackTeam {
  url: string;
  /** For `slackApiUrl`. */
  apiUrl: string;
  signingSecret: string;
  clientId: string;
  clientSecret: string;
  /** For Socket Mode. */
  appToken: string;
  /** Faults of the service that Slack refused; empty if there are none. */
  failures: Failure[];
  /** Calls of the service, oldest first. */
  calls: Call[];
  /** Sets the redirect URLs. Slack accepts https only; this server accepts the address of a test. */
  redirectTo(...urls: string[]): void;
  /** Adds another workspace. */
  addTeam(name: string): SlackTeam;
  /**
   * Sets the destination of interactions: a base address, or a service without a port. Before that, they go over Socket
   * Mode.
   */
  sendTo(service: string | Injectable): void;
  /** Answers the next calls of a method with 429. */
  limit(method: string, times: number, seconds: number): void;
  /** Refuses the next calls of a method with an error. */
  refuse(method: string, times: number, error: string): void;
  /** Runs `happens` once during the next call of a method, before or after the call has its effect. */
  interrupt(when: "before" | "after", method: string, happens: () => Promise<void>): void;
  /** Resolves once `look` returns something, after any call. */
  until<T>(look: () => T | null | undefined | false): Promise<T>;
  click(click: Click & { post: Post }): Promise<Outcome>;
  clickInView(click: Click & { view: View }): Promise<Outcome>;
  submit(what: { user: User; view: View; values?: Record<string, Record<string, Entry>> }): Promise<Outcome>;
  dismiss(what: { user: User; view: View }): Promise<Outcome>;
  /** Sends any payload, signed with any secret and any time, like a forged request. */
  send(payload: Json, forged?: { secret?: string; seconds?: number }): Promise<{ status: number; body: string }>;
  /**
   * Writes in a thread. Slack sends the app an event if the app may read there.
   * @returns the message, the event, and the status of the answer; null without an event
   */
  say(what: Said): Promise<{ post: Post; event: Json | null; status: number | null }>;
  /** Sends a message event with any fields, such as an edit, or an event again. */
  publish(event: Json, retry?: Retry): Promise<number>;
  /** Returns an event with these fields about the thread of a message. */
  eventIn(thread: Post, fields: Json): Json;
  /** Sends any event over HTTP, signed with any secret and any time, like a forged request. */
  sendEvent(payload: Json, forged?: { secret?: string; seconds?: number }): Promise<{ status: number; body: string }>;
  /** Connections in Socket Mode. */
  connections: SocketMode["connections"];
  /** Ends them, with or without a message. */
  disconnect: SocketMode["disconnect"];
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
      redirectUrls: [],
    },
    workspaces: [],
    failures: [],
    planned: new Map(),
    interruptions: new Map(),
    codes: new Map(),
    postRate: options.postRate ?? false,
  };
  const calls: Call[] = [];
  const waiting = new Set<() => void>();
  let service: string | Injectable | null = null;

  const lookAgain = () => {
    for (const look of waiting) look();
  };
  const socket = createSocketMode(vendor, lookAgain);
  const server = createServer((request, response) => {
    void answer(vendor, calls, socket, request, response).finally(lookAgain);
  });
  server.on("upgrade", socket.upgrade);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const request = async (url: string, headers: Record<string, string>, body: string) => {
    if (service === null) throw new Error("sendTo() names no address");
    if (typeof service !== "string") {
      const { statusCode, body: answered } = await service.inject({ method: "POST", url, headers, payload: body });
      return { status: statusCode, body: answered };
    }
    const answered = await fetch(`${service}${url}`, { method: "POST", headers, body, redirect: "error" });
    return { status: answered.status, body: await answered.text() };
  };
  const post = async (payload: Json, secret: string, seconds: number) => {
    if (service === null) return socket.deliver(payload);
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    return request(INTERACTIONS_PATH, signedHeaders(secret, seconds, body), body);
  };
  const postEvent = async (payload: Json, secret: string, seconds: number, retry?: Retry) => {
    const body = JSON.stringify(payload);
    const again = retry && { "x-slack-retry-num": String(retry.num), "x-slack-retry-reason": retry.reason };
    return request(EVENTS_PATH, { ...signedHeaders(secret, seconds, body, "application/json"), ...again }, body);
  };
  const seconds = () => Math.floor(now() / 1000);
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const late = AbortSignal.timeout(ackMs);
    const lateness = new Promise<never>((_, reject) => {
      late.addEventListener("abort", () => reject(new Error("answered too late, or not at all")), { once: true });
    });
    return Promise.race([work, lateness]);
  };
  const deliver: Deliver = async (payload) => inTime(post(payload, vendor.app.signingSecret, seconds()));
  const publish: Publish = async (payload, retry) =>
    inTime(
      service === null
        ? socket.publish(payload, retry)
        : postEvent(payload, vendor.app.signingSecret, seconds(), retry),
    );
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
    redirectTo: (...urls) => void (vendor.app.redirectUrls = urls),
    addTeam,
    sendTo: (target) => void (service = target),
    limit: (method, times, seconds) => plan(vendor, method, times, { seconds }),
    refuse: (method, times, error) => plan(vendor, method, times, { error }),
    interrupt: (when, method, happens) => void vendor.interruptions.set(`${when} ${method}`, happens),
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
    say: async (said) => {
      const { post: written, payload } = addReply(vendor, workspaceOf(said.user), said);
      const event = payload && (JSON.parse(JSON.stringify(payload)) as Json);
      return { post: written, event, status: event && (await publish(event)).status };
    },
    publish: async (event, retry) => (await publish(event, retry)).status,
    eventIn: (thread, fields) => {
      const workspace = vendor.workspaces.find(({ posts }) => posts.includes(thread))!;
      return eventOf(vendor, workspace, workspace.channels.get(thread.channel)!, { thread_ts: thread.ts, ...fields });
    },
    sendEvent: async (payload, { secret = vendor.app.signingSecret, seconds: at = seconds() } = {}) =>
      postEvent(payload, secret, at),
    connections: socket.connections,
    disconnect: socket.disconnect,
    close: () =>
      new Promise((resolve) => {
        socket.disconnect();
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
