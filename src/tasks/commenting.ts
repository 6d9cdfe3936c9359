import { readReference } from "../../form/payload/reference.ts";
import { openQuestions } from "../conversation/open-questions.ts";
import { toCommentRecord } from "../conversation/record.ts";
import type { AddCommentBody, ListCommentsQuery, WaitingOn } from "../conversation/schema.ts";
import {
  addCommentRow,
  findCommentsByKey,
  listCommentHeads,
  listComments,
  type Author,
  type Comment,
  type CommentHead,
} from "../conversation/store.ts";
import type { Db, Tx } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import { scheduleRefresh } from "../deliveries/live-messages.ts";
import { enqueue, enqueueNew } from "../deliveries/store.ts";
import { invalid, ServiceError } from "../errors.ts";
import { decodeCursor, encodeCursor } from "../http/paging.ts";
import { newId } from "../lib/ids.ts";
import { parseJson } from "../lib/json.ts";
import { originOf } from "../outbound/outbound-url.ts";
import { personOf, type Caller } from "../people/caller.ts";
import type { Subscriptions } from "../subscriptions/known.ts";
import { requireMay, requireMayWith } from "./access.ts";
import { askerOf } from "./asker.ts";
import { actorOf, completerOf } from "./attribution.ts";
import { actorColumns } from "./decide.ts";
import { isTerminal } from "./lifecycle.ts";
import type { Notifier } from "./notices.ts";
import type { CallbackEvent } from "./schema.ts";
import { commentedEvent } from "./task-event.ts";
import { addAuditEntry, getTaskWithDocuments, lockTask, type Task } from "./store.ts";
import { wakeForComment } from "./snooze-store.ts";
import { requireTaskId } from "./tasks.ts";

/** The event that `callback_url` gets where `callback_events` names it. */
const QUESTION_EVENT = "task.question" satisfies CallbackEvent;
/** Comments of the asker of a task, and of everyone else, who so cannot silence it. Pages show all of them. */
const COMMENTS_MAX = 200;

interface Commented {
  comment: Comment;
  /** The key belonged to this comment already. Nothing was written. */
  isReplay: boolean;
}

const PAGE_ROWS = 50;

/** Returns one page of what was said about a task. @throws ServiceError TASK_NOT_FOUND, FORBIDDEN, VALIDATION_FAILED */
export async function readCommentsPage(
  ctx: { db: Db },
  caller: Caller,
  id: string,
  { limit = PAGE_ROWS, cursor }: ListCommentsQuery,
): Promise<{ rows: Comment[]; next: string | null }> {
  const [after = -1] = cursor === undefined ? [] : decodeCursor(cursor);
  const found = await readComments(ctx, caller, id, { after, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? encodeCursor([last.seq, last.id]) : null };
}

/** Returns what was said about a task, or a part of it. @throws ServiceError TASK_NOT_FOUND, FORBIDDEN */
export async function readComments(
  ctx: { db: Db },
  caller: Caller,
  id: string,
  range?: Parameters<typeof listComments>[2],
): Promise<Comment[]> {
  requireMay(caller, "read");
  requireTaskId(id);
  await requireMayWith(ctx.db, caller, "read", await getTaskWithDocuments(ctx.db, id));
  return listComments(ctx.db, id, range);
}

/**
 * Adds what somebody says about a task. A question makes the open task wait for its asker, and what the asker says makes it wait
 * for people again. After the end, it waits for no one, and what is said is for those who read it later. (beyond: Talk before
 * deciding)
 *
 * @throws ServiceError TASK_NOT_FOUND, FORBIDDEN, AGENT_SCOPE_MISSING, TOO_MANY_COMMENTS, VALIDATION_FAILED
 */
export async function addComment(
  ctx: { db: Db; subscriptions: Subscriptions; notifier: Pick<Notifier, "enqueueComment" | "inBrowsers"> },
  caller: Caller,
  id: string,
  body: AddCommentBody,
): Promise<Commented> {
  requireMay(caller, "comment");
  requireTaskId(id);
  await ctx.subscriptions.refresh();
  return ctx.db.write(async (tx) => {
    const task = await lockTask(tx, id);
    await requireMayWith(tx, caller, "comment", task);
    const said = await listCommentHeads(tx, id);
    const draft = draftOf(caller, task, body, said);
    const known = await findRepeated(tx, draft);
    if (known !== undefined) return { comment: known, isReplay: true };
    if (said.filter((one) => isOfSameSide(one, draft)).length >= COMMENTS_MAX)
      throw new ServiceError("TOO_MANY_COMMENTS");
    const created_at = Math.max(tx.now(), task.updated_at);
    const comment: Comment = { ...draft, id: newId("cmt", created_at), created_at };
    const isOpen = !isTerminal(task.status) && tx.now() < task.timeout_at;
    const waiting_on = isOpen ? waitingOn([...said, comment]) : task.waiting_on;
    await store(tx, caller, { ...task, waiting_on }, comment);
    await wakeForComment(tx, comment);
    const event = commentedEvent({ ...task, waiting_on: isOpen ? waiting_on : null }, comment);
    for (const delivery of ctx.subscriptions.deliveriesOf(event)) await enqueueNew(tx, delivery);
    const { project } = task;
    if (isOpen) {
      if (comment.kind === "question") await callBack(tx, task, comment);
      const notice = { task_id: id, project, purpose: "commented", at: created_at } as const;
      await ctx.notifier.enqueueComment(tx, { ...notice, comment });
      const others = new Set([task.assigned_to_user_id, ...said.map(({ author_user_id }) => author_user_id)]);
      others.delete(comment.author.user_id);
      await ctx.notifier.inBrowsers.enqueue(tx, notice, others);
    }
    // Their threads have what is said. The notices of an end were sent with it.
    await scheduleRefresh(tx, { id, ended_at: null });
    return { comment, isReplay: false };
  });
}

function waitingOn(said: readonly Omit<CommentHead, "author_user_id">[]): WaitingOn {
  return openQuestions(said).length > 0 ? "agent" : "people";
}

async function findRepeated(tx: Tx, draft: Draft): Promise<Comment | undefined> {
  if (draft.idempotency_key === null) return undefined;
  const found = await findCommentsByKey(tx, draft.task_id, draft.idempotency_key);
  return found.find((one) => one.kind !== "revision" && isRepeated(one, draft));
}

function isOfSameSide({ kind, answers_seq }: CommentHead, draft: Draft): boolean {
  return kind !== "revision" && (answers_seq === null) === (draft.answers_seq === null);
}

type Draft = Omit<Comment, "id" | "created_at">;

/** @throws ServiceError VALIDATION_FAILED */
function draftOf(caller: Caller, task: Task, body: AddCommentBody, said: readonly CommentHead[]): Draft {
  const kind = body.kind ?? "comment";
  if (body.text.trim() === "") throw invalid("/text", "It has no words.");
  const isAsker = isAskerOf(caller, task);
  if (isAsker && kind === "question")
    throw invalid("/kind", "A question is for the asker of the task, and this is the asker. Send a comment.");
  const question = said.find((one) => one.id === body.reply_to);
  if (body.reply_to != null && !isAsker) throw invalid("/reply_to", "Only the asker of the task answers questions.");
  if (body.reply_to != null && question?.kind !== "question")
    throw invalid("/reply_to", "No question about this task has this id.");
  return {
    task_id: task.id,
    seq: task.audit_seq,
    kind,
    text: body.text,
    answers_seq: isAsker ? (question?.seq ?? task.audit_seq) : null,
    idempotency_key: body.idempotency_key ?? null,
    version: null,
    files: filesOf(body),
    author: authorOf(caller),
  };
}

/** @throws ServiceError VALIDATION_FAILED */
function filesOf({ files }: AddCommentBody): Comment["files"] {
  return (files ?? []).map(({ url, sha256, bytes, media_type, name }, at) => {
    const file = readReference({ url, sha256, bytes, media_type, name });
    if (file !== null) return file;
    const isName = name.trim() === "";
    const [field, why] = isName
      ? ["name", "It has no words."]
      : ["url", "It must be a complete http or https address without credentials."];
    throw invalid(`/files/${at}/${field}`, why);
  });
}

export function isRepeated(
  one: Comment,
  { idempotency_key, author }: Pick<Comment, "idempotency_key" | "author">,
): boolean {
  if (idempotency_key === null || one.idempotency_key !== idempotency_key) return false;
  const { kind, user_id, email, name } = one.author;
  return kind === author.kind && user_id === author.user_id && email === author.email && name === author.name;
}

/** Returns whether a caller is the asker of a task, who answers its questions. */
export function isAskerOf(caller: Caller, task: Task): boolean {
  const isPerson = caller.kind === "user" || caller.kind === "recipient";
  // Someone in front of an embedded form is no person of the directory.
  if (isPerson && personOf(caller) === null) return false;
  if (!isPerson && caller.kind !== "agent" && caller.kind !== "admin") return false;
  const { asked_by_kind, asked_by_id } = askerOf(caller);
  return asked_by_kind === task.asked_by_kind && asked_by_id === task.asked_by_id;
}

export function authorOf(caller: Caller): Author {
  if (caller.kind === "agent")
    return { kind: "agent", user_id: null, email: null, name: caller.name, account: null, channel: null };
  const { kind, user_id, email, name, account, channel } = completerOf(caller, { response: {} });
  return { kind: kind === "host" ? "agent" : kind, user_id, email, name, account, channel };
}

async function store(tx: Tx, caller: Caller, task: Task, comment: Comment): Promise<void> {
  await addCommentRow(tx, comment);
  await tx.query
    .updateTable("tasks")
    .set({ waiting_on: task.waiting_on, audit_seq: task.audit_seq + 1 })
    .where("id", "=", task.id)
    .where("home", "=", homeOf(task.id))
    .execute();
  await addAuditEntry(tx, {
    task_id: task.id,
    seq: comment.seq,
    action: comment.kind === "question" ? "question_asked" : "commented",
    from_status: task.status,
    to_status: task.status,
    ...actorColumns(actorOf(caller)),
    channel: comment.author.channel,
    verifier_reason: null,
    embed_sub: caller.kind === "recipient" && caller.grant.kind === "embed" ? caller.grant.sub : null,
    extra: { comment_id: comment.id },
    created_at: comment.created_at,
  });
  tx.hint(`task:${task.id}`);
}

/** Tells the asker of a question, if its request wants to be told at its `callback_url`. */
async function callBack(tx: Tx, { id: task_id, idempotency_key, status, callback_url }: Task, comment: Comment) {
  if (callback_url === null) return;
  const { callback_events } = await getTaskWithDocuments(tx, task_id);
  if (!(parseJson<string[]>(callback_events) ?? []).includes(QUESTION_EVENT)) return;
  const body = {
    event: QUESTION_EVENT,
    task_id,
    idempotency_key,
    status,
    waiting_on: "agent" satisfies WaitingOn,
    comment: toCommentRecord(comment),
  };
  await enqueue(tx, {
    kind: "callback",
    task_id,
    destination: callback_url,
    origin: originOf(callback_url),
    body: JSON.stringify(body),
    due_at: comment.created_at,
  });
}
