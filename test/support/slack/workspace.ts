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
  /** C for a channel, D for the bot's conversation with a person. */
  id: string;
  /** Without #. */
  name: string;
  private: boolean;
  archived: boolean;
  /** Whether the bot was invited. */
  joined: boolean;
  /** Ids of users; null: everybody. */
  members: ReadonlySet<string> | null;
}

/** What a message says. */
export interface Content {
  text: string;
  blocks: Json[];
  /** Whoever it would ping, as written: `<!channel>`, `<@U...>`, `@here`. */
  mentions: string[];
}

export interface Post extends Content {
  channel: string;
  ts: string;
  thread_ts: string | null;
  /** The one person who sees it, or null. */
  ephemeral_to: string | null;
  /** What it said before, oldest first. */
  updates: Content[];
}

/** A modal that is open. */
export interface View {
  id: string;
  /** Who has it on the screen. */
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
  /** What is entered, in the vendor's shape. */
  state: State;
  /** What stands under the fields after an answer with `errors`, by block_id. */
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

/** Something the service did that the vendor refuses, or would show to a person as a fault. */
export interface Failure {
  /** A method such as `chat.postMessage`, `response_url`, or the type of an interaction. */
  at: string;
  error: string;
  messages: string[];
}

/** The vendor, as one app sees it. */
export interface Vendor {
  url: string;
  now: () => number;
  app: {
    id: string;
    clientId: string;
    clientSecret: string;
    signingSecret: string;
    appToken: string;
    /** Where people may be sent back to who have allowed the app. */
    redirectUrls: string[];
  };
  workspaces: Workspace[];
  failures: Failure[];
  /** Next answers of a method: 429 with `seconds`, or `error`. */
  planned: Map<string, Array<{ seconds: number } | { error: string }>>;
  /** What happens once before or after a call is carried out, by `before chat.update` and the like. */
  interruptions: Map<string, () => Promise<void>>;
  /** Codes of the OAuth flow that were not yet exchanged. */
  codes: Map<string, { workspace: Workspace; redirect_uri: string | null; at: number }>;
  /** Whether `chat.postMessage` takes no more than one message per second and channel. */
  postRate: boolean;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Such as C0K3X9QZ2AB. */
export const newId = (kind: string): string =>
  `${kind}0${[...randomBytes(9)].map((byte) => LETTERS[byte % LETTERS.length]).join("")}`;

export const newSecret = (): string => randomBytes(16).toString("hex");

let lastTs = 0;
/** Seconds with six digits behind the point, never the same twice. */
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

/** The conversation of the bot with a person, opened when there is none yet. */
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

/** As it comes back from the methods and in payloads. */
export function messageOf(vendor: Vendor, workspace: Workspace, post: Post): Json {
  return {
    type: "message",
    user: workspace.bot.user_id,
    bot_id: workspace.bot.bot_id,
    app_id: vendor.app.id,
    team: workspace.team.id,
    text: post.text,
    ts: post.ts,
    blocks: post.blocks,
    ...(post.thread_ts !== null && { thread_ts: post.thread_ts }),
    ...(post.updates.length > 0 && { edited: { user: workspace.bot.bot_id, ts: post.ts } }),
  };
}

/** As it comes back from the methods and in payloads. */
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
