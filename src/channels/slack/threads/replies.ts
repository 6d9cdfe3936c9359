import type { ContextBlock, KnownBlock, SectionBlock } from "@slack/types";
import { cutText, oneLine } from "../../../../form/plain-text.ts";
import { roundOf } from "../../../approvals/proposal.ts";
import type { Config } from "../../../config.ts";
import type { Author, Comment } from "../../../conversation/store.ts";
import { remindersOf } from "../../../escalation/ladder.ts";
import { UNKNOWN_MEMBER } from "../../../people/accounts.ts";
import { isTerminal } from "../../../tasks/lifecycle.ts";
import type { TaskWithDocuments } from "../../../tasks/store.ts";
import type { SlackMessage } from "../client.ts";
import { escapeText, line, markup, MAX, parts } from "../modal/text.ts";
import type { Place } from "../place.ts";
import { newRoundFor, reminderFor, sentBackFor } from "../task-view.ts";
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

/** Returns the next message that a thread lacks; null if it has all. @param said - about the task, oldest first */
export function nextReply(ctx: Ctx, task: TaskWithDocuments, said: readonly Comment[], place: Place): Reply | null {
  const { sent_back, round = 1, reminded = 0 } = place;
  if (task.status === "rejected" && task.verification_attempt > sent_back)
    return { message: sentBackFor(task), reports: { sent_back: task.verification_attempt } };
  if (!isTerminal(task.status) && roundOf(task) > round)
    return { message: newRoundFor(task, round), reports: { round: roundOf(task) } };
  if (!isTerminal(task.status) && remindersOf(task.ladder) > reminded)
    return { message: reminderFor(task), reports: { reminded: remindersOf(task.ladder) } };
  return commentsReply(ctx, task, said, place);
}

/** Returns as many comments as fit into one message. What people wrote in this thread is there already. */
function commentsReply({ config }: Ctx, task: TaskWithDocuments, said: readonly Comment[], place: Place): Reply | null {
  const { said: last = 0 } = place;
  const [first, ...others] = said.filter((comment) => comment.seq > last && !isFromThread(comment, place));
  if (first === undefined) return null;
  const link = `${config.publicUrl}/tasks/${task.id}`;
  const blocks = blocksOf(task, first, link);
  let { seq } = first;
  for (const comment of others) {
    const more = blocksOf(task, comment, link);
    if (blocks.length + more.length > BLOCKS_MAX || sizeOf([...blocks, ...more]) > MESSAGE_MAX) break;
    blocks.push(...more);
    seq = comment.seq;
  }
  const text = task.redact_payload ? headOf(first) : `${headOf(first)} ${first.text}`;
  return { message: { text: line(text, MAX_TEXT).text, blocks }, reports: { said: seq } };
}

function blocksOf(task: TaskWithDocuments, comment: Comment, link: string): (ContextBlock | SectionBlock)[] {
  const head = line(headOf(comment), MAX.field);
  const browser = markup(`<${escapeText(link)}|Read it in the browser>`);
  // Slack gets nothing of a confidential task.
  if (task.redact_payload) return [{ type: "context", elements: [head, browser] }];
  const blocks: (ContextBlock | SectionBlock)[] = [{ type: "context", elements: [head] }];
  for (const text of parts(comment.text, MAX.section)) {
    const block = { type: "section", text } as const;
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

function headOf({ author, kind, answers_seq }: Comment): string {
  const verb = kind === "question" ? "asked" : answers_seq === null ? "said" : "replied";
  return `${cutText(oneLine(nameOf(author)), MAX_NAME) || "Someone"} ${verb}:`;
}

function nameOf({ name, email, account }: Author): string {
  return name ?? email ?? (account === null ? "Someone" : UNKNOWN_MEMBER);
}
