import { cutText, oneLine } from "../../../form/plain-text.ts";
import { plural, t } from "../../../languages/text.ts";
import { textOf } from "../../conversation/record.ts";
import { listComments, type Comment } from "../../conversation/store.ts";
import type { Reader, Tx } from "../../db/database.ts";
import { findBody } from "../../deliveries/claim.ts";
import { enqueue, LIVE } from "../../deliveries/store.ts";
import { parseJson } from "../../lib/json.ts";
import { emailKey } from "../../lib/text.ts";
import { MINUTE } from "../../lib/time.ts";
import type { RecipientCaller } from "../../people/caller.ts";
import type { CommentNotice } from "../../tasks/notices.ts";
import { isWrittenBy } from "../../tasks/shown-conversation.ts";
import { lockMails } from "./addressees.ts";
import { deliveryOf, type MailBody } from "./notices.ts";

/** What is said within this time is one email. */
const WAIT_MS = MINUTE;
/** Comments that one email has. */
const MAX_COMMENTS = 5;
const MAX_NAME = 60;

/**
 * Enqueues an email for each address that got one about the task, unless its person wrote the comment, or an email with earlier
 * comments still waits. Whether the person may still answer is seen when it is sent. (beyond: Talk before deciding)
 */
export async function enqueueCommentMail(tx: Tx, { task_id, purpose, at, comment }: CommentNotice): Promise<void> {
  const mails = await lockMails(tx, task_id);
  // An address gets the notice of the end when it got an email.
  for (const told of mails.filter(({ is_live }) => is_live === LIVE.at_end)) {
    const body = parseJson<MailBody>(await findBody(tx, { id: told.id, task_id }));
    if (body === null || isOwn(comment, told.destination, body)) continue;
    const others = mails.filter((mail) => mail.is_waiting && emailKey(mail.destination) === emailKey(told.destination));
    const bodies = await Promise.all(others.map(({ id }) => findBody(tx, { id, task_id })));
    if (bodies.some((other) => parseJson<MailBody>(other)?.purpose === purpose)) continue;
    const { identity, user_id = null } = body;
    const mail: MailBody = { purpose, identity, user_id, since: comment.seq };
    await enqueue(tx, { ...deliveryOf(task_id, told.destination, mail), due_at: at, wait_ms: WAIT_MS });
  }
}

function isOwn({ author }: Comment, address: string, { user_id = null }: MailBody): boolean {
  if (author.user_id !== null && author.user_id === user_id) return true;
  return author.email !== null && emailKey(author.email) === emailKey(address);
}

/** What an email about comments says of them. Nothing of it is safe to show. */
export interface Said {
  /** Who said it. It begins with a word of ours. */
  title: string;
  /** "" for a redacted task. */
  text: string;
  /** The asker has replied. */
  is_reply: boolean;
  /** How many comments are left out. */
  left_out: number;
}

/** Returns what others have said since the last email, for a person; null if there is nothing. */
export async function saidFor(
  reader: Reader,
  task: { id: string; redact_payload: boolean },
  caller: RecipientCaller,
  since: number,
): Promise<Said | null> {
  const news = (await listComments(reader, task.id)).filter(
    // Of a revision there is another email.
    (one) => one.seq >= since && one.kind !== "revision" && !isWrittenBy(caller, one.author),
  );
  const [first] = news;
  if (first === undefined) return null;
  const is_reply = news.some(({ answers_seq }) => answers_seq !== null);
  const title = news.length === 1 ? titleOf(first) : plural(news.length, "{n} new comment", "{n} new comments");
  if (task.redact_payload) return { title, text: "", is_reply, left_out: 0 };
  const shown = news.slice(0, MAX_COMMENTS);
  const text = news.length === 1 ? textOf(first) : shown.map((one) => `${titleOf(one)}:\n${textOf(one)}`).join("\n\n");
  return { title, text, is_reply, left_out: news.length - shown.length };
}

function titleOf({ author, kind, answers_seq }: Comment): string {
  const person = cutText(oneLine(author.name ?? author.email ?? ""), MAX_NAME) || t("someone");
  // A name may look like an address, and only our own links begin a line of an email.
  if (kind === "question") return t("Question from {person}", { person });
  return answers_seq === null ? t("Comment from {person}", { person }) : t("Reply from {person}", { person });
}
