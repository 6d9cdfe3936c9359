import { randomUUID } from "node:crypto";
import type { ConversationProps, SaidComment } from "../../form/plan/conversation.ts";
import { toCommentRecord } from "../conversation/record.ts";
import { countComments, type Comment } from "../conversation/store.ts";
import type { Db } from "../db/database.ts";
import { emailKey } from "../lib/text.ts";
import type { RecipientCaller } from "../people/caller.ts";
import { answerStateOf } from "./answer-state.ts";
import { isAskerOf, readComments } from "./commenting.ts";
import { listAuditEntries, type TaskWithDocuments } from "./store.ts";

interface Look {
  locale?: string | undefined;
  time_zone: string | undefined;
  now: Date;
  /** Id of the form that what is written is posted with; null if a script sends it. */
  form: string | null;
  /** What was written and not stored, and why. */
  unsent?: Unsent | null;
}

export interface Unsent {
  text: string;
  problem: string;
  idempotency_key: string;
}

/**
 * Returns a short text that changes with all that a page shows of a conversation. Nothing that was said is read for it: comments
 * are added, and neither changed nor taken away.
 */
export async function markOf({ db }: { db: Db }, task: TaskWithDocuments): Promise<string> {
  const isOpen = answerStateOf(task, null, db.now()).how === "open";
  return [await countComments(db, task.id), isOpen ? (task.waiting_on ?? "people") : "closed"].join("-");
}

/**
 * Returns the conversation of a task for a page of a person who came with a link or an embed token.
 * @throws ServiceError TASK_NOT_FOUND, FORBIDDEN
 */
export async function conversationFor(
  ctx: { db: Db },
  caller: RecipientCaller,
  task: TaskWithDocuments,
  { form, unsent, now, ...look }: Look,
): Promise<ConversationProps> {
  const comments = await readComments(ctx, caller, task.id);
  const isOpen = answerStateOf(task, null, now.getTime()).how === "open";
  return {
    comments: comments.map((comment) => shownTo(caller, toCommentRecord(comment))),
    own: await ownOf(ctx, caller, comments),
    asker: task.asked_by_name,
    is_waiting: isOpen && task.waiting_on === "agent",
    writing: {
      is_asker: isAskerOf(caller, task),
      is_open: isOpen,
      form,
      text: unsent?.text ?? "",
      problem: unsent?.problem ?? null,
      idempotency_key: unsent?.idempotency_key ?? randomUUID(),
    },
    ...look,
    now: now.toISOString(),
  };
}

/** The customers of a product get no addresses of the people who work on their tasks. */
function shownTo({ grant }: RecipientCaller, { by, ...comment }: SaidComment): SaidComment {
  const { user_id, name, email, slack } = by;
  const shown = { user_id, name, email: grant.kind === "embed" ? null : email, ...(slack !== undefined && { slack }) };
  const { id, kind, text, files, is_asker, version, created_at } = comment;
  return { id, kind, text, files, by: shown, is_asker, version, created_at };
}

/** Returns the ids of the comments that the caller wrote. */
async function ownOf({ db }: { db: Db }, caller: RecipientCaller, comments: readonly Comment[]): Promise<string[]> {
  const { grant } = caller;
  if (comments.length === 0) return [];
  if (grant.kind === "embed") {
    // The product alone knows who they are, and the trail has its word for them.
    const trail = await listAuditEntries(db, grant.task_id);
    const seqs = new Set(trail.filter(({ embed_sub }) => embed_sub === grant.sub).map(({ seq }) => seq));
    return comments.filter(({ seq }) => seqs.has(seq)).map(({ id }) => id);
  }
  return comments.filter(({ author }) => isWrittenBy(caller, author)).map(({ id }) => id);
}

/** Returns whether a person who came with a link wrote something. */
export function isWrittenBy({ person, email, account }: RecipientCaller, author: Comment["author"]): boolean {
  if (person !== null || author.user_id !== null) return person !== null && author.user_id === person.id;
  if (author.kind !== "recipient") return false;
  if (author.email !== null) return email !== null && emailKey(email) === emailKey(author.email);
  return account !== null && author.account?.user_id === account.user_id && author.account.team_id === account.team_id;
}
