import { asReturned, mentionsIn, messageBlocks } from "./blocks.ts";
import type { Json } from "./check.ts";
import { Refusal } from "./refusal.ts";
import { type Channel, type Content, newTs, type Post, type Vendor, type Workspace } from "./workspace.ts";

/** Page "chat.postMessage method": a text of more than 40,000 characters may be cut, `msg_too_long`. */
const TEXT_CHARS = 40_000;

/** Same page, `msg_blocks_too_long`, which gives no number. Developers measured about 13,200 characters of JSON. */
const BLOCKS_CHARS = 13_000;

/**
 * @param args - `text`, `blocks`, `parse`, `link_names`
 * @param parse - the default of `parse`
 * @throws Refusal as `chat.postMessage` refuses a message
 */
export function readContent(args: Json, parse: "none" | "client"): Content {
  const text = typeof args.text === "string" ? args.text : "";
  const blocks = args.blocks ?? [];
  if (!Array.isArray(blocks)) throw new Refusal("invalid_blocks_format");
  if (text === "" && blocks.length === 0) throw new Refusal("no_text");
  if (text.length > TEXT_CHARS) throw new Refusal("msg_too_long");
  const wrong = messageBlocks(blocks, "/blocks");
  if (wrong.length > 0) throw new Refusal("invalid_blocks", wrong);
  if (JSON.stringify(blocks).length > BLOCKS_CHARS) throw new Refusal("msg_blocks_too_long");
  const parsed = (args.parse ?? parse) !== "none" || [true, "true", "1", 1].includes(args.link_names as string);
  return { text, blocks: asReturned(blocks as Json[]), mentions: mentionsIn(text, blocks as Json[], parsed) };
}

export function addPost(
  vendor: Vendor,
  workspace: Workspace,
  channel: Channel,
  content: Content,
  {
    thread_ts,
    ephemeral_to = null,
    by = null,
  }: { thread_ts?: unknown; ephemeral_to?: string | null; by?: string | null },
): Post {
  const parent = typeof thread_ts === "string" && thread_ts !== "" ? thread_ts : null;
  if (parent !== null && !workspace.posts.some(({ channel: id, ts }) => id === channel.id && ts === parent))
    throw new Refusal("thread_not_found");
  const post: Post = {
    ...content,
    channel: channel.id,
    by,
    ts: newTs(vendor.now()),
    thread_ts: parent,
    ephemeral_to,
    updates: [],
  };
  workspace.posts.push(post);
  return post;
}

export function updatePost(post: Post, content: Content): void {
  const { text, blocks, mentions } = post;
  post.updates.push({ text, blocks, mentions });
  Object.assign(post, content);
}

export function deletePost(workspace: Workspace, post: Post): void {
  workspace.posts.splice(workspace.posts.indexOf(post), 1);
}
