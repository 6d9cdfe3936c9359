import { randomBytes } from "node:crypto";
import type { Json } from "./check.ts";
import type { State } from "./inputs.ts";

export interface User {
  id: string;
  name: string;
  email: string | null;
  active: boolean;
}

export interface Channel {
  /** Begins with C for a channel, and D for the bot's conversation with a person. */
  id: string;
  /** Without #. */
  name: string;
  private: boolean;
  archived: boolean;
  /** Whether the bot was invited. */
  joined: boolean;
  /** Ids of users; null means everyone. */
  members: ReadonlySet<string> | null;
}

/** The content of a message. */
export interface Content {
  text: string;
  blocks: Json[];
  /** The mentions that notify people, as written: `<!channel>`, `<@U...>`, `@here`. */
  mentions: string[];
}

export interface Post extends Content {
  channel: string;
  /** The person who wrote it; null if the app did. */
  by: string | null;
  ts: string;
  thread_ts: string | null;
  /** The only person who sees it, or null. */
  ephemeral_to: string | null;
  /** Its earlier content, oldest first. */
  updates: Content[];
}

/** An open modal. */
export interface View {
  id: string;
  /** The user who sees it. */
  user: string;
  hash: string;
  title: Json;
  blocks: Json[];
  submit: Json | null;
  close: Json | null;
  private_metadata: string;
  callback_id: string;
  external_id: string;
  clear_on_close: boolean;
  notify_on_close: boolean;
  root_view_id: string;
  previous_view_id: string | null;
  /** The entries, in Slack's format. */
  state: State;
  /** Error messages below the fields after an answer with `errors`, by block_id. */
  errors: Record<string, string>;
}

export interface Workspace {
  team: { id: string; name: string; domain: string };
  token: string;
  scopes: string[];
  revoked: boolean;
  bot: { user_id: string; bot_id: string };
  users: Map<string, User>;
  channels: Map<string, Channel>;
  posts: Post[];
  views: View[];
  /** Each opens one view within 3 seconds of `at`. */
  triggers: Map<string, { user: string; at: number; used: boolean }>;
  /** By the last part of the address. */
  responseUrls: Map<string, { post: Post; user: string; at: number; uses: number }>;
  lastPostAt: Map<string, number>;
}

/** A fault of the service that Slack refuses, or would show to a person as an error. */
export interface Failure {
  /** A method such as `chat.postMessage`, `response_url`, or the type of an interaction. */
  at: string;
  error: string;
  messages: string[];
}

/** Slack, as one app sees it. */
export interface Vendor {
  url: string;
  now: () => number;
  app: {
    id: string;
    clientId: string;
    clientSecret: string;
    signingSecret: string;
    appToken: string;
    /** Allowed redirect URLs after the installation. */
    redirectUrls: string[];
  };
  workspaces: Workspace[];
  failures: Failure[];
  /** Planned answers of a method: 429 with `seconds`, or `error`. */
  planned: Map<string, Array<{ seconds: number } | { error: string }>>;
  /** Functions to run once before or after a call, by names such as `before chat.update`. */
  interruptions: Map<string, () => Promise<void>>;
  /** Codes of the OAuth flow that were not exchanged yet. */
  codes: Map<string, { workspace: Workspace; redirect_uri: string | null; at: number }>;
  /** Whether `chat.postMessage` accepts only one message per second and channel. */
  postRate: boolean;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Returns an id such as C0K3X9QZ2AB. */
export const newId = (kind: string): string =>
  `${kind}0${[...randomBytes(9)].map((byte) => LETTERS[byte % LETTERS.length]).join("")}`;

export const newSecret = (): string => randomBytes(16).toString("hex");

let lastTs = 0;
/** Returns seconds with six digits behind the point. Each is unique. */
export const newTs = (now: number): string => `${Math.floor(now / 1000)}.${String(++lastTs).padStart(6, "0")}`;

export const DEFAULT_SCOPES = ["chat:write", "im:write", "users:read", "users:read.email"];

export function createWorkspace(name: string, scopes: readonly string[] = DEFAULT_SCOPES): Workspace {
  return {
    team: { id: newId("T"), name, domain: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-") },
    token: `xoxb-${newSecret()}`,
    scopes: [...scopes],
    revoked: false,
    bot: { user_id: newId("U"), bot_id: newId("B") },
    users: new Map(),
    channels: new Map(),
    posts: [],
    views: [],
    triggers: new Map(),
    responseUrls: new Map(),
    lastPostAt: new Map(),
  };
}

/** Returns the bot's conversation with a person. Opens it if there is none yet. */
export function directMessages(workspace: Workspace, user: User): Channel {
  const id = `D${user.id.slice(1)}`;
  const known = workspace.channels.get(id);
  if (known) return known;
  const channel = {
    id,
    name: "directmessage",
    private: true,
    archived: false,
    joined: true,
    members: new Set([user.id]),
  };
  workspace.channels.set(id, channel);
  return channel;
}

export const sees = (workspace: Workspace, user: string, post: Post): boolean =>
  (post.ephemeral_to === null || post.ephemeral_to === user) &&
  (workspace.channels.get(post.channel)?.members?.has(user) ?? true);

/** Returns a message as methods and payloads contain it. */
export function messageOf(vendor: Vendor, workspace: Workspace, post: Post): Json {
  return {
    type: "message",
    user: post.by ?? workspace.bot.user_id,
    ...(post.by === null && { bot_id: workspace.bot.bot_id, app_id: vendor.app.id }),
    team: workspace.team.id,
    text: post.text,
    ts: post.ts,
    blocks: post.blocks,
    ...(post.thread_ts !== null && { thread_ts: post.thread_ts }),
    ...(post.updates.length > 0 && { edited: { user: workspace.bot.bot_id, ts: post.ts } }),
  };
}

/** Returns a view as methods and payloads contain it. */
export function viewOf(vendor: Vendor, workspace: Workspace, view: View): Json {
  const { user: _, errors: __, state, ...fields } = view;
  return {
    ...fields,
    type: "modal",
    team_id: workspace.team.id,
    app_id: vendor.app.id,
    bot_id: workspace.bot.bot_id,
    app_installed_team_id: workspace.team.id,
    state: { values: state },
  };
}
