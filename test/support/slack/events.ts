import type { Json } from "./check.ts";
import { addPost } from "./posts.ts";
import { type Channel, newId, newSecret, type Post, type User, type Vendor, type Workspace } from "./workspace.ts";

/** What a person writes. */
export interface Said {
  user: User;
  /** As Slack sends it: `&`, `<` and `>` are escaped, and `<...>` is a mention or a link. */
  text: string;
  /** The message in whose thread it is. */
  thread: Post;
  /** Files come with this subtype, and may come without words. */
  files?: readonly string[];
}

/** A repetition, with its number and the reason of Slack (page "The Events API", "Retries"). */
export interface Retry {
  num: number;
  reason: "http_timeout" | "http_error";
}

/** Sends an event, and returns the status and the body of the answer. */
export type Publish = (payload: Json, retry?: Retry) => Promise<{ status: number; body: string }>;

/** Page "Formatting message text": Slack escapes three characters, and marks up with angle brackets. */
const ENCODED = /^(?:[^&<>]|&(?:amp|lt|gt);|<(?:[@#!]|https?:|mailto:|tel:)[^<>]+>)*$/su;

/**
 * Adds a reply of a person to a thread.
 * @returns the event that Slack sends; null if the app gets none, because it is not in the channel or lacks the scope
 */
export function addReply(
  vendor: Vendor,
  workspace: Workspace,
  { user, text, thread, files = [] }: Said,
): { post: Post; payload: Json | null } {
  if (!ENCODED.test(text)) throw new Error(`Slack would not send this text: ${text}`);
  const channel = workspace.channels.get(thread.channel)!;
  if (!(channel.members?.has(user.id) ?? true)) throw new Error(`${user.name} is not in this channel.`);
  const content = { text, blocks: [], mentions: [] };
  const post = addPost(vendor, workspace, channel, content, { thread_ts: thread.ts, by: user.id });
  if (!channel.joined || !workspace.scopes.includes(scopeFor(channel))) return { post, payload: null };
  const event = {
    user: user.id,
    client_msg_id: crypto.randomUUID(),
    text,
    ...(files.length > 0 && {
      subtype: "file_share",
      upload: false,
      files: files.map((name) => ({ id: newId("F"), name, mode: "hosted" })),
    }),
    team: workspace.team.id,
    thread_ts: thread.ts,
    parent_user_id: thread.by ?? workspace.bot.user_id,
    ts: post.ts,
  };
  return { post, payload: eventOf(vendor, workspace, channel, event) };
}

/** Returns a message event (pages "message event", "The Events API"). @param fields - of the event */
export function eventOf(vendor: Vendor, workspace: Workspace, channel: Channel, fields: Json): Json {
  const seconds = Math.floor(vendor.now() / 1000);
  return {
    token: "verification-token-is-deprecated",
    team_id: workspace.team.id,
    context_team_id: workspace.team.id,
    context_enterprise_id: null,
    api_app_id: vendor.app.id,
    event: {
      type: "message",
      ...fields,
      channel: channel.id,
      event_ts: fields.ts ?? `${seconds}.000000`,
      channel_type: channel.id.startsWith("D") ? "im" : channel.private ? "group" : "channel",
    },
    type: "event_callback",
    event_id: newId("Ev"),
    event_time: seconds,
    authorizations: [
      {
        enterprise_id: null,
        team_id: workspace.team.id,
        user_id: workspace.bot.user_id,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${newSecret()}`,
  };
}

/** Page "message event": each kind of conversation has its own scope. */
function scopeFor(channel: Channel): string {
  if (channel.id.startsWith("D")) return "im:history";
  return channel.private ? "groups:history" : "channels:history";
}
