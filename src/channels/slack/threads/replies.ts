import type { ContextBlock, KnownBlock, SectionBlock } from "@slack/types";
import { cutText, oneLine } from "../../../../form/plain-text.ts";
import { beganWithEdit, roundOf } from "../../../approvals/proposal.ts";
import type { Config } from "../../../config.ts";
import { textOf } from "../../../conversation/record.ts";
import { listComments, type Author, type Comment } from "../../../conversation/store.ts";
import { listVersions, type VersionDocuments } from "../../../conversation/versions.ts";
import type { Reader } from "../../../db/database.ts";
import { remindersOf } from "../../../escalation/ladder.ts";
import { UNKNOWN_MEMBER } from "../../../people/accounts.ts";
import { isTerminal } from "../../../tasks/lifecycle.ts";
import type { TaskWithDocuments } from "../../../tasks/store.ts";
import { changesBetween } from "../../decided.ts";
import type { SlackMessage } from "../client.ts";
import { factBlocks } from "../modal/summary.ts";
import { escapeText, line, markup, MAX, parts } from "../modal/text.ts";
import type { Place } from "../place.ts";
import { newRoundFor, reminderFor, sentBackFor, ZONE } from "../task-view.ts";
import { isFromThread } from "./keys.ts";

/*
 * Replies in the thread of a message: what the message itself does not show. The place of the message says which replies are
 * there already.
 */

/** A message for the thread. */
export interface Reply {
  message: SlackMessage;
  /** The fields of the place once it is posted. */
  reports: Partial<Place>;
}

interface Ctx {
  config: Config;
}

/** Characters of the blocks of one message as JSON. Slack refuses more than about 13,000. */
const MESSAGE_MAX = 12_000;
/** Longer comments go on in the browser. They are long in JSON only if they are full of marks. */
const COMMENT_MAX = 10_000;
/** Slack's limit is 50. */
const BLOCKS_MAX = 45;
const MAX_TEXT = 300;
const MAX_NAME = 80;
/** Changes of one revision. */
const MAX_CHANGES = 8;

/** What was said about a task since the last reply in a thread, oldest first, and the earlier versions that this replaces. */
interface Talk {
  said: readonly Comment[];
  versions: readonly (VersionDocuments & { version: number })[];
}

export async function readTalk(reader: Reader, { id, version }: TaskWithDocuments, place: Place): Promise<Talk> {
  const news = await listComments(reader, id, { after: place.said ?? 0 });
  // A revision that came since the task was read has its own attempt.
  const end = news.findIndex((comment) => (comment.version ?? 1) > version);
  const said = end === -1 ? news : news.slice(0, end);
  const first = said.find((comment) => comment.version !== null)?.version;
  return { said, versions: first == null ? [] : await listVersions(reader, id, first - 1) };
}

/** Returns the next message that a thread lacks; null if it has all. */
export function nextReply(ctx: Ctx, task: TaskWithDocuments, talk: Talk, place: Place): Reply | null {
  const { sent_back, round = 1, reminded = 0 } = place;
  if (task.status === "rejected" && task.verification_attempt > sent_back)
    return { message: sentBackFor(task), reports: { sent_back: task.verification_attempt } };
  // A revision begins a round too, and says so itself.
  if (!isTerminal(task.status) && roundOf(task) > round && beganWithEdit(task))
    return { message: newRoundFor(task, round), reports: { round: roundOf(task) } };
  if (!isTerminal(task.status) && remindersOf(task.ladder) > reminded)
    return { message: reminderFor(task), reports: { reminded: remindersOf(task.ladder) } };
  return commentsReply(ctx, task, talk, place);
}

/** Returns as many comments as fit into one message. What people wrote in this thread is there already. */
function commentsReply({ config }: Ctx, task: TaskWithDocuments, talk: Talk, place: Place): Reply | null {
  const { said: last = 0 } = place;
  const [first, ...others] = talk.said.filter((comment) => comment.seq > last && !isFromThread(comment, place));
  if (first === undefined) return null;
  const link = `${config.publicUrl}/tasks/${task.id}`;
  const blocks = blocksOf(task, talk, first, link);
  let { seq } = first;
  for (const comment of others) {
    const more = blocksOf(task, talk, comment, link);
    if (blocks.length + more.length > BLOCKS_MAX || sizeOf([...blocks, ...more]) > MESSAGE_MAX) break;
    blocks.push(...more);
    seq = comment.seq;
  }
  const text = task.redact_payload ? headOf(first) : `${headOf(first)} ${first.text}`;
  return { message: { text: line(text, MAX_TEXT).text, blocks }, reports: { said: seq } };
}

function blocksOf(
  task: TaskWithDocuments,
  talk: Talk,
  comment: Comment,
  link: string,
): (ContextBlock | SectionBlock)[] {
  const head = line(headOf(comment), MAX.field);
  const browser = markup(`<${escapeText(link)}|Read it in the browser>`);
  // Slack gets nothing of a confidential task.
  if (task.redact_payload) return [{ type: "context", elements: [head, browser] }];
  const blocks: (ContextBlock | SectionBlock)[] = [{ type: "context", elements: [head] }];
  const texts = parts(textOf(comment), MAX.section).map((text) => ({ type: "section", text }) as const);
  for (const block of [...texts, ...changesIn(task, talk, comment)]) {
    if (sizeOf([...blocks, block]) > COMMENT_MAX) {
      blocks.push({ type: "context", elements: [line("This is not all.", MAX.field), browser] });
      break;
    }
    blocks.push(block);
  }
  return blocks;
}

function sizeOf(blocks: readonly KnownBlock[]): number {
  return JSON.stringify(blocks).length;
}

/** Returns what a revision changed, before and after. */
function changesIn(task: TaskWithDocuments, { versions }: Talk, { version }: Comment): (ContextBlock | SectionBlock)[] {
  if (version === null) return [];
  const [before, after] = [version - 1, version].map((one) =>
    one === task.version ? task : versions.find((known) => known.version === one),
  );
  if (before === undefined || after === undefined) return [];
  const look = { max: MAX_CHANGES, time_zone: ZONE, now: new Date(task.created_at) };
  const { facts, left_out } = changesBetween({ ...task, ...before }, { ...task, ...after }, look);
  return factBlocks(facts, left_out && `+ ${left_out}`);
}

function headOf({ author, kind, answers_seq, version }: Comment): string {
  const name = cutText(oneLine(nameOf(author)), MAX_NAME) || "Someone";
  if (kind === "revision") return `${name} changed the request. This is version ${version}.`;
  const verb = kind === "question" ? "asked" : answers_seq === null ? "said" : "replied";
  return `${name} ${verb}:`;
}

function nameOf({ name, email, account }: Author): string {
  return name ?? email ?? (account === null ? "Someone" : UNKNOWN_MEMBER);
}
