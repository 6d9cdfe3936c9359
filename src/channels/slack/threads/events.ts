import { COMMENT_CHARACTERS_MAX } from "../../../conversation/schema.ts";
import { ServiceError } from "../../../errors.ts";
import { toStorableText } from "../../../lib/text.ts";
import { HOUR, SECOND } from "../../../lib/time.ts";
import { tryOnce, type RateLimit } from "../../../people/rate-limits.ts";
import { mayWith } from "../../../tasks/access.ts";
import { addComment, isAskerOf } from "../../../tasks/commenting.ts";
import type { TaskWithDocuments } from "../../../tasks/store.ts";
import { SlackFailure } from "../client.ts";
import {
  callerAt,
  contextFor,
  findTask,
  postEphemeral,
  UNKNOWN,
  type ClickContext,
  type SlackContext,
} from "../clicks/click-context.ts";
import { parseEvent, type Written } from "./event.ts";
import { findTaskOf } from "./find.ts";
import { keyOf } from "./keys.ts";
import { isQuestion, mentionedIn, plainOf } from "./plain.ts";

/** Slack waits three seconds, and then sends the event again. */
const ACK_MS = 2.5 * SECOND;

/** Mentions whose names are looked up. The others stay as ids. */
const NAMES_MAX = 5;

/** A person is told once an hour why their messages in a thread do not count, and of one message once. */
const NOTE: RateLimit = { name: "slack-thread-note", tries: 1, windowMs: 1 * HOUR };

/** Why something was not added. */
interface Note {
  text: string;
  /** It holds for one message only. Otherwise it holds for all that the person writes there. */
  isOfMessage: boolean;
}

/**
 * Handles an event from Slack: what a person writes in the thread of a message becomes a comment. Returns when that is stored,
 * so that Slack sends it again if it is not. A repetition changes nothing. (beyond: Talk before deciding)
 *
 * @param payload - of a request whose signature was checked
 * @throws ServiceError SLACK_UNAVAILABLE if it is not stored in time, or Slack cannot tell who it is
 */
export async function handleEvent(ctx: SlackContext, payload: unknown): Promise<void> {
  const written = parseEvent(payload);
  if (written === null) return;
  const work = takeMessage(ctx, written);
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ServiceError("SLACK_UNAVAILABLE", { message: "It takes too long." })), ACK_MS);
  });
  try {
    await Promise.race([work, patience]);
  } catch (error) {
    work.catch((late: unknown) => ctx.log.warn({ err: late }, "Could not add a message from Slack to its task"));
    if (!(error instanceof SlackFailure)) throw error;
    throw new ServiceError("SLACK_UNAVAILABLE", { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function takeMessage(ctx: SlackContext, written: Written): Promise<void> {
  const task_id = await findTaskOf(ctx.db, written.thread);
  if (task_id === null) return;
  const context = await contextFor(ctx, written.thread.team);
  const task = context && (await findTask(context, task_id));
  if (context === null || task === null) return;
  const note = await addTo(context, task, written);
  if (note !== null) await tell(context, written, note);
}

/** Adds a message to the conversation about its task. @returns why it was not added; null if it was */
async function addTo(context: ClickContext, task: TaskWithDocuments, written: Written): Promise<Note | null> {
  const { ctx } = context;
  const { who, thread, ts, hasFiles } = written;
  const caller = await callerAt(context, who, task, thread.channel);
  if (!(await mayWith(ctx.db, caller, "comment", task))) {
    const why = caller.person === null ? UNKNOWN : "Only people who may answer it can comment on it.";
    return { text: `What you write in this thread is not added to the task. ${why}`, isOfMessage: false };
  }
  const text = toStorableText(plainOf(written.text, await namesIn(context, written)), Infinity);
  if (text === "")
    return hasFiles ? { text: "Files are not added to the task. Say it in words.", isOfMessage: true } : null;
  if (Array.from(text).length > COMMENT_CHARACTERS_MAX)
    return {
      text: `Your message was not added to the task: it is longer than ${COMMENT_CHARACTERS_MAX} characters. Send it in parts.`,
      isOfMessage: true,
    };
  const kind = isQuestion(text) && !isAskerOf(caller, task) ? "question" : "comment";
  try {
    await addComment(ctx, caller, task.id, { text, kind, idempotency_key: keyOf(thread, ts) });
    return hasFiles ? { text: "Your words were added to the task, and the files were not.", isOfMessage: true } : null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    switch (error.code) {
      case "TOO_MANY_COMMENTS":
        return { text: `Your message was not added to the task. ${error.message}`, isOfMessage: false };
      case "TASK_NOT_FOUND":
        return null;
      default:
        throw error;
    }
  }
}

async function tell(context: ClickContext, { thread, who, ts }: Written, { text, isOfMessage }: Note): Promise<void> {
  const about = [thread.channel, thread.ts, who.user_id, isOfMessage ? ts : text];
  if (!(await tryOnce(context.ctx.db, NOTE, about.join(" ")))) return;
  await postEphemeral(context, { channel: thread.channel, thread: thread.ts }, who.user_id, text);
}

/** Returns the names of people whom a message mentions, by id, as far as Slack tells them. */
async function namesIn({ slack }: ClickContext, { text }: Written): Promise<Map<string, string>> {
  const members = await Promise.all(
    mentionedIn(text)
      .slice(0, NAMES_MAX)
      .map(async (id) =>
        slack.member(id).catch((error: unknown) => {
          if (error instanceof SlackFailure) return null;
          throw error;
        }),
      ),
  );
  return new Map(members.flatMap((member) => (member === null ? [] : [[member.id, member.name] as const])));
}
