import { actionFields, toStored } from "../../src/actions/request.ts";
import { standingOfRevised, type Standing } from "../../src/approvals/count.ts";
import type { Policy } from "../../src/approvals/policy.ts";
import { openQuestions } from "../../src/conversation/open-questions.ts";
import { toCommentRecord } from "../../src/conversation/record.ts";
import type { AddCommentBody } from "../../src/conversation/schema.ts";
import type { Author, Comment as Said } from "../../src/conversation/store.ts";
import type { RevisedDocuments } from "../../src/conversation/versions.ts";
import { invalid, ServiceError } from "../../src/errors.ts";
import { movedLadder, WITHOUT_CALENDARS } from "../../src/escalation/ladder.ts";
import { actorOf } from "../../src/tasks/attribution.ts";
import type { Actor } from "../../src/tasks/decide.ts";
import { entryBeside } from "../../src/tasks/entries.ts";
import { isTerminal, requireVersion } from "../../src/tasks/lifecycle.ts";
import { toDocuments } from "../../src/tasks/new-task.ts";
import { describedIn, readRequestForm } from "../../src/tasks/request-form.ts";
import type { CreateTaskBody, ReviseTaskBody } from "../../src/tasks/schema.ts";
import type { TaskWithDocuments } from "../../src/tasks/store.ts";
import { canonicalJson, type JsonObject } from "../json.ts";
import type { Comment, TaskRecord, TaskVersion } from "../shapes.ts";
import { requireFits } from "./schemas.ts";
import { addEntry, ADMIN, endAgain, find, move, recordOf, type Tasks } from "./tasks.ts";

/** Longest time that a task is open. */
const TIMEOUT_SECONDS_MAX = 2_592_000;
/** Comments of the asker of a task, and of everyone else. */
const COMMENTS_MAX = 200;

/** Who says something. */
interface Speaker {
  author: Author;
  actor: Actor;
  isAsker: boolean;
}

const NO_ONE = { user_id: null, email: null, name: null, account: null, channel: null };
/** The program under test. Its token is the admin token. */
export const ASKER: Speaker = {
  author: { ...NO_ONE, kind: "admin", name: "admin" },
  actor: actorOf(ADMIN),
  isAsker: true,
};

export function personAt(email: string, channel: string): Speaker {
  return {
    author: { ...NO_ONE, kind: "recipient", email, channel },
    actor: { type: "human", email, agent: null },
    isAsker: false,
  };
}

/** Returns what was said about a task, oldest first. @throws ServiceError TASK_NOT_FOUND */
export function listComments(tasks: Tasks, id: string): Comment[] {
  return find(tasks, id).said.map(toCommentRecord);
}

/**
 * Adds a comment or a question. What the asker says answers the questions before it. (beyond: Talk before deciding)
 * @throws ServiceError TASK_NOT_FOUND, TOO_MANY_COMMENTS, VALIDATION_FAILED
 */
export function addComment(
  tasks: Tasks,
  id: string,
  { author, actor, isAsker }: Speaker,
  { text, kind: given, reply_to, idempotency_key = null, files }: AddCommentBody,
): { comment: Comment; isReplay: boolean } {
  const stored = find(tasks, id);
  const { task, said } = stored;
  const kind = given ?? "comment";
  if (text.trim() === "") throw invalid("/text", "It has no words.");
  if (isAsker && kind === "question")
    throw invalid("/kind", "A question is for the asker of the task, and this is the asker. Send a comment.");
  const question = said.find((one) => one.id === reply_to);
  if (reply_to != null && (!isAsker || question?.kind !== "question"))
    throw invalid("/reply_to", "No question about this task has this id.");
  const known = said.find((one) => one.kind !== "revision" && isRepeated(one, idempotency_key, author));
  if (known !== undefined) return { comment: toCommentRecord(known), isReplay: true };
  const created_at = Math.max(tasks.timeline.now(), task.updated_at);
  const isOpen = !isTerminal(task.status) && created_at < task.timeout_at;
  const own = said.filter((one) => one.kind !== "revision" && (one.answers_seq !== null) === isAsker);
  if (own.length >= COMMENTS_MAX) throw new ServiceError("TOO_MANY_COMMENTS");
  const seq = task.audit_seq;
  const comment: Said = {
    id: tasks.newId("cmt", created_at),
    task_id: id,
    seq,
    kind,
    text,
    answers_seq: isAsker ? (question?.seq ?? seq) : null,
    idempotency_key,
    author,
    created_at,
    version: null,
    files: files ?? [],
  };
  said.push(comment);
  const { channel } = author;
  const action = kind === "question" ? "question_asked" : "commented";
  const entry = entryBeside(task, { action, channel, extra: { comment_id: comment.id } }, created_at);
  const waiting_on = !isOpen ? task.waiting_on : openQuestions(said).length > 0 ? "agent" : "people";
  stored.task = { ...task, waiting_on, audit_seq: seq + 1 };
  addEntry(tasks, stored, { ...entry, actor_type: actor.type, actor_email: actor.email });
  // After the end, no one waits for it.
  if (isOpen) hear(tasks, id, toCommentRecord(comment));
  return { comment: toCommentRecord(comment), isReplay: false };
}

/** Tells those who wait: the asker of a question, and the person who asked that there is a reply. */
function hear(tasks: Tasks, id: string, comment: Comment | null): void {
  const { task, said, replied } = find(tasks, id);
  if (comment?.kind === "question") tasks.onAsked(task, comment);
  if (openQuestions(said).length === 0) for (const go of replied.splice(0)) go();
}

/** Calls `go` once no question about a task is open. */
export function afterReply(tasks: Tasks, id: string, go: () => void): void {
  find(tasks, id).replied.push(go);
}

function isRepeated(one: Said, key: string | null | undefined, { kind, email }: Author): boolean {
  return key != null && one.idempotency_key === key && one.author.kind === kind && one.author.email === email;
}

/** Returns what a task asks and asked, oldest first. @throws ServiceError TASK_NOT_FOUND */
export function listVersions(tasks: Tasks, id: string): TaskVersion[] {
  const { task, said, replaced } = find(tasks, id);
  return [...replaced, task].map((one) => {
    const revision = said.find(({ version }) => version === one.version);
    return {
      version: one.version,
      payload: JSON.parse(one.payload) as JsonObject,
      ...(actionFields(one) as Pick<TaskVersion, "action" | "actions">),
      note: revision?.text ?? null,
      created_at: new Date(revision?.created_at ?? task.created_at).toISOString(),
    };
  });
}

/**
 * Changes what a task asks. (beyond: Talk before deciding)
 * @throws ServiceError TASK_NOT_FOUND, TASK_ALREADY_TERMINAL, TASK_REVISED, TOO_MANY_REVISIONS, VALIDATION_FAILED
 */
export function reviseTask(tasks: Tasks, id: string, body: ReviseTaskBody): { task: TaskRecord; isReplay: boolean } {
  const stored = find(tasks, id);
  const { task, said, replaced } = stored;
  const { note, extend_seconds, version, idempotency_key = null } = body;
  const { author } = ASKER;
  const replay = () => ({ task: recordOf(task), isReplay: true });
  const revisions = said.filter(({ kind }) => kind === "revision");
  if (revisions.some((one) => isRepeated(one, idempotency_key, author))) return replay();
  const documents = readRevision(task, body);
  const text = note ?? "";
  if (idempotency_key === null && revisions.at(-1)?.text === text && isSame(task, documents)) return replay();
  if (version != null) requireVersion(task, version);
  const policy = task.approval_policy && (JSON.parse(task.approval_policy) as Policy);
  const standing = task.approvals && (JSON.parse(task.approvals) as Standing);
  const deadline = extend_seconds == null ? null : extended(task, extend_seconds);
  const now = tasks.timeline.now();
  const comment: Omit<Said, "id" | "seq" | "answers_seq" | "created_at"> = {
    task_id: id,
    kind: "revision",
    text,
    idempotency_key,
    author,
    version: task.version + 1,
    files: [],
  };
  const revision = {
    of: task.version,
    documents,
    before: task,
    approvals: policy && standing && JSON.stringify(standingOfRevised(standing, policy)),
    growth: { listed: 0, schemas: 0 },
    // What plans a payload would be a seventh of this entry.
    facts: null,
    comment,
  };
  const record = move(tasks, stored, { type: "revised", revision, deadline }, ASKER.actor, documents);
  const { audit_seq } = task;
  replaced.push(task);
  said.push({ ...comment, id: tasks.newId("cmt", now), seq: audit_seq, answers_seq: audit_seq, created_at: now });
  if (deadline !== null) endAgain(tasks, stored);
  hear(tasks, id, null);
  return { task: record, isReplay: false };
}

/** @throws ServiceError VALIDATION_FAILED */
function readRevision(task: TaskWithDocuments, { payload, action, actions }: ReviseTaskBody): RevisedDocuments {
  const given = { payload, action, actions };
  const [name, ...others] = (Object.keys(given) as (keyof typeof given)[]).filter((one) => given[one] != null);
  const stored = task.action === null ? null : (JSON.parse(task.action) as unknown);
  const asked = stored === null ? "payload" : Array.isArray(stored) ? "actions" : "action";
  if (name === undefined) throw invalid(`/${asked}`, "Say what the task asks now.");
  if (others.length > 0) throw invalid(`/${others[0]!}`, "A task is about its payload, or about actions.");
  if (name !== asked) throw invalid(`/${name}`, `This task has \`${asked}\`: send that.`);
  const schemas = {
    payload_schema: JSON.parse(task.payload_schema) as JsonObject,
    response_schema: JSON.parse(task.response_schema) as JsonObject,
  };
  const { request, actions: read } = readRequestForm(
    (name === "payload" ? { payload, ...schemas } : { [name]: given[name] }) as CreateTaskBody,
  );
  const kept = toStored(read);
  if (namesIn(kept.listed_action) !== namesIn(task.listed_action))
    throw invalid(
      `/${name}`,
      "A revision keeps the actions of the task and their order. Only what they say can change.",
    );
  for (const { value, schema, path, formats } of describedIn(request, read))
    requireFits(JSON.stringify(schema), value, path, formats);
  const policy = task.approval_policy === null ? null : (JSON.parse(task.approval_policy) as Policy);
  const made = toDocuments(request, read, policy);
  const { payload_schema, response_schema, form_definition } = name === "payload" ? task : made;
  return { payload: made.payload, payload_schema, response_schema, form_definition, ...kept };
}

function namesIn(listed_action: string | null): string {
  const listed = [JSON.parse(listed_action ?? "[]") as { name: string } | { name: string }[]].flat();
  return JSON.stringify(listed.map(({ name }) => name));
}

function isSame(one: RevisedDocuments, other: RevisedDocuments): boolean {
  return (["payload", "payload_schema", "action"] as const).every(
    (name) => canonicalJson(JSON.parse(one[name] ?? "null")) === canonicalJson(JSON.parse(other[name] ?? "null")),
  );
}

function extended(task: TaskWithDocuments, by: number) {
  const { created_at } = task;
  const timeout_seconds = task.timeout_seconds + by;
  if (timeout_seconds > TIMEOUT_SECONDS_MAX)
    throw invalid("/extend_seconds", `A task is open for at most ${TIMEOUT_SECONDS_MAX} seconds from its creation.`);
  const timeout_at = created_at + timeout_seconds * 1000;
  return { timeout_seconds, timeout_at, steps: movedLadder(task, { created_at, timeout_at }, WITHOUT_CALENDARS) };
}
