import { isObject, type Json } from "./check.ts";
import { addPost, deletePost, readContent, updatePost } from "./posts.ts";
import { Refusal } from "./refusal.ts";
import { openView, updateView } from "./views.ts";
import {
  type Channel,
  directMessages,
  messageOf,
  type User,
  type Vendor,
  viewOf,
  type Workspace,
} from "./workspace.ts";

export interface Call {
  vendor: Vendor;
  workspace: Workspace;
  args: Json;
}

interface Method {
  /** From the method's own page, under "Scopes": any of these is enough. If the list is empty, no scope is needed. */
  scopes: readonly string[];
  /** Whether the page lists `application/json` as a content type. If not, such a body is not read. */
  json: boolean;
  run: (call: Call) => Json;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** @throws Refusal channel_not_found, is_archived, not_in_channel */
function channelOf({ workspace, args }: Call): Channel {
  const target = textOf(args.channel);
  const user = workspace.users.get(target);
  if (user?.active) return directMessages(workspace, user);
  const named = [...workspace.channels.values()].find(
    ({ id, name }) => id.startsWith("C") && name === target.replace(/^#/, ""),
  );
  const channel = workspace.channels.get(target) ?? named;
  if (!channel || (channel.private && !channel.joined)) throw new Refusal("channel_not_found");
  if (channel.archived) throw new Refusal("is_archived");
  // Page "chat.postMessage method": a public channel needs no invitation with chat:write.public.
  if (!channel.joined && !workspace.scopes.includes("chat:write.public")) throw new Refusal("not_in_channel");
  return channel;
}

/** Page "users.info method": the address is present only with `users:read.email`. */
function userOf({ workspace }: Call, user: User): Json {
  const email = workspace.scopes.includes("users:read.email") && user.email !== null ? { email: user.email } : {};
  return {
    id: user.id,
    team_id: workspace.team.id,
    name: user.name.toLowerCase().replaceAll(" ", "."),
    real_name: user.name,
    deleted: !user.active,
    is_bot: false,
    is_app_user: false,
    profile: { real_name: user.name, display_name: user.name, ...email },
  };
}

/** Page "Rate limits": one message per second and channel. */
function heedPostRate({ vendor, workspace }: Call, channel: Channel): void {
  if (!vendor.postRate) return;
  const last = workspace.lastPostAt.get(channel.id) ?? -Infinity;
  if (vendor.now() - last < 1000) throw new Refusal("ratelimited", [], { retry_after: 1 });
  workspace.lastPostAt.set(channel.id, vendor.now());
}

function postMessage(call: Call): Json {
  const { vendor, workspace, args } = call;
  const channel = channelOf(call);
  const content = readContent(args, "none");
  heedPostRate(call, channel);
  const post = addPost(vendor, workspace, channel, content, { thread_ts: args.thread_ts });
  return { channel: channel.id, ts: post.ts, message: messageOf(vendor, workspace, post) };
}

function update(call: Call): Json {
  const { vendor, workspace, args } = call;
  const channel = workspace.channels.get(textOf(args.channel));
  if (!channel) throw new Refusal("channel_not_found");
  // Page "chat.update method": ephemeral messages can't be updated.
  const post = workspace.posts.find(
    ({ channel: id, ts, ephemeral_to }) => id === channel.id && ts === args.ts && ephemeral_to === null,
  );
  if (!post) throw new Refusal("message_not_found");
  // Same page: only the author of a message may change it.
  if (post.by !== null) throw new Refusal("cant_update_message");
  // Same page: text without blocks removes the old blocks; `parse` is "client" by default.
  updatePost(post, readContent(args.text === undefined ? { ...args, text: post.text } : args, "client"));
  return { channel: channel.id, ts: post.ts, text: post.text, message: messageOf(vendor, workspace, post) };
}

function postEphemeral(call: Call): Json {
  const { vendor, workspace, args } = call;
  const channel = channelOf(call);
  const user = workspace.users.get(textOf(args.user));
  if (!user || !(channel.members?.has(user.id) ?? true)) throw new Refusal("user_not_in_channel");
  const content = readContent(args, "none");
  const post = addPost(vendor, workspace, channel, content, { thread_ts: args.thread_ts, ephemeral_to: user.id });
  return { message_ts: post.ts };
}

function usersList(call: Call): Json {
  const all = [...call.workspace.users.values()];
  // Page "Pagination": a cursor is opaque, and a page has up to 1000 entries.
  const cursor = textOf(call.args.cursor);
  const start = cursor === "" ? 0 : Number(/^user:(\d+)$/.exec(Buffer.from(cursor, "base64").toString())?.[1] ?? NaN);
  const limit = Number(call.args.limit ?? 1000);
  if (Number.isNaN(start)) throw new Refusal("invalid_cursor");
  if (!(limit >= 1 && limit <= 1000)) throw new Refusal("invalid_limit");
  const end = start + limit;
  const next_cursor = end < all.length ? Buffer.from(`user:${end}`).toString("base64") : "";
  return {
    members: all.slice(start, end).map((user) => userOf(call, user)),
    cache_ts: Math.floor(call.vendor.now() / 1000),
    response_metadata: { next_cursor },
  };
}

/** Page "Handling user interaction": a trigger_id opens one view, within 3 seconds. */
function useTrigger({ vendor, workspace, args }: Call): { user: string; use: () => void } {
  const trigger = workspace.triggers.get(textOf(args.trigger_id));
  if (!trigger) throw new Refusal("invalid_trigger_id");
  if (trigger.used) throw new Refusal("exchanged_trigger_id");
  if (vendor.now() - trigger.at > 3000) throw new Refusal("expired_trigger_id");
  return { user: trigger.user, use: () => (trigger.used = true) };
}

function viewsOpen(call: Call): Json {
  const trigger = useTrigger(call);
  const view = openView(call.vendor, call.workspace, trigger.user, call.args.view);
  trigger.use();
  return { view: viewOf(call.vendor, call.workspace, view) };
}

function viewsUpdate({ vendor, workspace, args }: Call): Json {
  const [id, external_id] = [textOf(args.view_id), textOf(args.external_id)];
  const view = workspace.views.find((open) =>
    id === "" ? external_id !== "" && open.external_id === external_id : open.id === id,
  );
  if (!view) throw new Refusal("not_found");
  // Page "views.update method": a hash prevents overwriting a concurrent update.
  if (args.hash !== undefined && args.hash !== view.hash) throw new Refusal("hash_conflict");
  return { view: viewOf(vendor, workspace, updateView(vendor, workspace, view, args.view)) };
}

export const METHODS: Record<string, Method> = {
  "auth.test": {
    scopes: [],
    json: true,
    run: ({ workspace: { team, bot } }) => ({
      url: `https://${team.domain}.slack.com/`,
      team: team.name,
      user: "service",
      team_id: team.id,
      user_id: bot.user_id,
      bot_id: bot.bot_id,
      is_enterprise_install: false,
    }),
  },
  "chat.postMessage": { scopes: ["chat:write"], json: true, run: postMessage },
  "chat.update": { scopes: ["chat:write"], json: true, run: update },
  "chat.postEphemeral": { scopes: ["chat:write"], json: true, run: postEphemeral },
  "conversations.open": {
    scopes: ["im:write", "mpim:write", "channels:manage", "groups:write"],
    json: true,
    run: ({ workspace, args }) => {
      const user = workspace.users.get(textOf(args.users));
      if (!user) throw new Refusal("user_not_found");
      if (!user.active) throw new Refusal("user_disabled");
      return { channel: { id: directMessages(workspace, user).id } };
    },
  },
  "users.info": {
    scopes: ["users:read"],
    json: false,
    run: (call) => {
      const user = call.workspace.users.get(textOf(call.args.user));
      if (!user) throw new Refusal("user_not_found");
      return { user: userOf(call, user) };
    },
  },
  "users.lookupByEmail": {
    scopes: ["users:read.email"],
    json: false,
    run: (call) => {
      const email = textOf(call.args.email).toLowerCase();
      const user = [...call.workspace.users.values()].find(
        (known) => known.active && known.email !== null && known.email.toLowerCase() === email,
      );
      if (!user) throw new Refusal("users_not_found");
      return { user: userOf(call, user) };
    },
  },
  "users.list": { scopes: ["users:read"], json: false, run: usersList },
  "views.open": { scopes: [], json: true, run: viewsOpen },
  "views.update": { scopes: [], json: true, run: viewsUpdate },
};

/** Page "oauth.v2.access method"; "Installing with OAuth": a code is valid for ten minutes, once. */
export function exchangeCode(vendor: Vendor, args: Json, basic: string | null): Json {
  const [id, secret] = basic === null ? [args.client_id, args.client_secret] : basic.split(":", 2);
  if (id !== vendor.app.clientId) throw new Refusal("invalid_client_id");
  if (secret !== vendor.app.clientSecret) throw new Refusal("bad_client_secret");
  const code = vendor.codes.get(textOf(args.code));
  if (!code || vendor.now() - code.at > 600_000) throw new Refusal("invalid_code");
  if (code.redirect_uri !== (args.redirect_uri ?? null)) throw new Refusal("bad_redirect_uri");
  vendor.codes.delete(textOf(args.code));
  const { workspace } = code;
  return {
    access_token: workspace.token,
    token_type: "bot",
    scope: workspace.scopes.join(","),
    bot_user_id: workspace.bot.user_id,
    app_id: vendor.app.id,
    team: { id: workspace.team.id, name: workspace.team.name },
    enterprise: null,
    is_enterprise_install: false,
    authed_user: { id: [...workspace.users.keys()][0] ?? workspace.bot.user_id },
  };
}

/** Page "Handling user interaction", response_url: 5 times within 30 minutes. */
export function respond(vendor: Vendor, key: string, sent: unknown): void {
  const workspace = vendor.workspaces.find(({ responseUrls }) => responseUrls.has(key));
  const target = workspace?.responseUrls.get(key);
  if (!workspace || !target || vendor.now() - target.at > 1_800_000) throw new Refusal("expired_url");
  if (target.uses >= 5) throw new Refusal("used_url");
  if (!isObject(sent)) throw new Refusal("invalid_payload");
  target.uses++;
  const { post, user } = target;
  const yes = (value: unknown) => value === true || value === "true";
  if (yes(sent.delete_original)) return deletePost(workspace, post);
  const content = readContent(sent, "none");
  if (yes(sent.replace_original)) return updatePost(post, content);
  const channel = workspace.channels.get(post.channel)!;
  const ephemeral_to = sent.response_type === "in_channel" ? null : user;
  addPost(vendor, workspace, channel, content, { thread_ts: sent.thread_ts, ephemeral_to });
}
