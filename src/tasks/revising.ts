import { fromStored, revisedRequest, toStored } from "../actions/request.ts";
import { standingOfRevised, type Standing } from "../approvals/count.ts";
import type { Policy } from "../approvals/policy.ts";
import type { Comment } from "../conversation/store.ts";
import { listComments } from "../conversation/store.ts";
import type { RevisedDocuments, VersionDocuments } from "../conversation/versions.ts";
import { invalid, ServiceError } from "../errors.ts";
import { clockworkFor } from "../escalation/clockwork.ts";
import { movedLadder, stepsOf } from "../escalation/ladder.ts";
import { isEqual } from "../../json-schema/equality.ts";
import { parseJson, type JsonObject } from "../lib/json.ts";
import { SECOND } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import { requireMay, requireMayWith } from "./access.ts";
import { actorOf } from "./attribution.ts";
import { authorOf, isRepeated } from "./commenting.ts";
import { requireVersion, type Revision, type TaskEvent } from "./lifecycle.ts";
import { factsIn } from "./facts.ts";
import { moveTask, type MoveContext } from "./move.ts";
import { toDocuments } from "./new-task.ts";
import { checkRequest, type CheckContext } from "./read-request.ts";
import { readRequestForm } from "./request-form.ts";
import { TIMEOUT_SECONDS_MAX, type CreateTaskBody, type ReviseTaskBody } from "./schema.ts";
import { findRefusedResponse, getTaskWithDocuments, type Task, type TaskWithDocuments } from "./store.ts";
import { requireTaskId } from "./tasks.ts";

interface Revised {
  task: TaskWithDocuments;
  /** The task asks this already. Nothing was written. */
  isReplay: boolean;
}

export type RevisionContext = MoveContext & CheckContext;

/**
 * Changes what an open task asks. Approvals begin again, and everyone who was told of the task is told of the new version.
 * Answers to the version before do not count. (beyond: Talk before deciding)
 *
 * @throws ServiceError TASK_NOT_FOUND, FORBIDDEN, AGENT_SCOPE_MISSING, TASK_ALREADY_TERMINAL, TASK_REVISED, TOO_MANY_REVISIONS,
 *   VALIDATION_FAILED, and what the action of a new task may have wrong
 */
export async function reviseTask(
  ctx: RevisionContext,
  caller: Caller,
  id: string,
  body: ReviseTaskBody,
): Promise<Revised> {
  try {
    return await revise(ctx, caller, id, body);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.version === undefined) throw error;
    // It may have been sent twice at once. If it is not the revision that was faster, this is refused as before.
    return revise(ctx, caller, id, { ...body, version: error.version - 1 });
  }
}

async function revise(ctx: RevisionContext, caller: Caller, id: string, body: ReviseTaskBody): Promise<Revised> {
  requireMay(caller, "revise");
  requireTaskId(id);
  const task = await getTaskWithDocuments(ctx.db, id);
  await requireMayWith(ctx.db, caller, "revise", task);
  const said = await listComments(ctx.db, id);
  const comment: Revision["comment"] = {
    task_id: id,
    kind: "revision",
    text: body.note ?? "",
    idempotency_key: body.idempotency_key ?? null,
    author: authorOf(caller),
    version: task.version + 1,
    files: [],
  };
  // The first of the two may have come after the task was read.
  if (said.some((one) => one.kind === "revision" && isRepeated(one, comment)))
    return { task: await getTaskWithDocuments(ctx.db, id), isReplay: true };
  const documents = await readRevision(ctx, task, body);
  const facts = task.redact_payload ? null : factsIn(documents);
  if (body.idempotency_key == null && isAskedAlready(task, documents, said, comment)) return { task, isReplay: true };
  if (body.version != null) requireVersion(task, body.version);

  const clockwork = await clockworkFor(ctx.db, task.project, stepsOf(task.escalation));
  const moved = await moveTask(
    ctx,
    task,
    async (reader, now): Promise<TaskEvent> => {
      await requireMayWith(reader, caller, "revise", now);
      const policy = parseJson<Policy>(task.approval_policy);
      const standing = parseJson<Standing>(now.approvals);
      const approvals = policy && standing && JSON.stringify(standingOfRevised(standing, policy));
      const revision = {
        of: task.version,
        documents,
        before: task,
        approvals,
        growth: growthOf(task, { ...documents, facts }),
        facts,
        comment,
      };
      if (body.extend_seconds == null) return { type: "revised", revision, deadline: null };
      const { timeout_seconds, timeout_at } = extended(now, body.extend_seconds);
      const steps = movedLadder({ ladder: now.ladder, escalation: task.escalation }, { ...now, timeout_at }, clockwork);
      return { type: "revised", revision, deadline: { timeout_seconds, timeout_at, steps } };
    },
    actorOf(caller),
  );
  const isSameAnswer = moved.verification_attempt === task.verification_attempt;
  const rejected_response = isSameAnswer ? task.rejected_response : await findRefusedResponse(ctx.db, moved);
  return { task: { ...task, ...moved, ...documents, rejected_response }, isReplay: false };
}

/** Reads and checks what the next version asks. @throws ServiceError VALIDATION_FAILED, and what the action of a new task may have wrong */
async function readRevision(
  ctx: CheckContext,
  task: TaskWithDocuments,
  { payload, action, actions }: ReviseTaskBody,
): Promise<RevisedDocuments> {
  const given = { payload, action, actions };
  const [name, ...others] = (Object.keys(given) as (keyof typeof given)[]).filter((one) => given[one] != null);
  const asked = askedIn(task);
  if (name === undefined) throw invalid(`/${asked}`, "Say what the task asks now.");
  if (others.length > 0) throw invalid(`/${others[0]!}`, "A task is about its payload, or about actions.");
  if (name !== asked) throw invalid(`/${name}`, `This task has \`${asked}\`: send that.`);
  const on_timeout = task.on_timeout === null ? null : { response: JSON.parse(task.on_timeout) as JsonObject };
  const form = {
    payload,
    payload_schema: JSON.parse(task.payload_schema) as JsonObject,
    response_schema: JSON.parse(task.response_schema) as JsonObject,
  };
  const now = fromStored(task)?.all ?? [];
  const asks = {
    payload: () => form,
    action: () => ({ action: revisedRequest(now[0], action!) }),
    actions: () => ({ actions: actions!.map((one, i) => revisedRequest(now[i], one)) }),
  };
  const body = { ...asks[name](), on_timeout } as CreateTaskBody;
  const { request, actions: read } = readRequestForm(body);
  const { action: stored, listed_action } = toStored(read);
  // What would run stays: people may have been chosen for it.
  if (namesIn(listed_action) !== namesIn(task.listed_action))
    throw invalid(
      `/${name}`,
      "A revision keeps the actions of the task and their order. Only what they say can change.",
    );
  const policy = parseJson<Policy>(task.approval_policy);
  const documents = toDocuments(request, read, policy);
  await checkRequest(ctx, request, documents, read, policy);
  const { payload_schema, response_schema, form_definition } = name === "payload" ? task : documents;
  return {
    payload: documents.payload,
    payload_schema,
    response_schema,
    form_definition,
    action: stored,
    listed_action,
  };
}

function askedIn({ action }: Pick<TaskWithDocuments, "action">): "payload" | "action" | "actions" {
  const stored = parseJson<unknown>(action);
  return stored === null ? "payload" : Array.isArray(stored) ? "actions" : "action";
}

function namesIn(listed_action: string | null): string {
  const listed = parseJson<{ name: string } | { name: string }[]>(listed_action);
  return JSON.stringify(listed === null ? [] : [listed].flat().map(({ name }) => name));
}

/** Returns whether the last revision was the same, and came from the same asker: it is sent again, because its answer was lost. */
function isAskedAlready(
  task: TaskWithDocuments,
  documents: RevisedDocuments,
  said: readonly Comment[],
  { text, author }: Revision["comment"],
): boolean {
  const last = said.findLast(({ kind }) => kind === "revision");
  if (last === undefined || last.text !== text) return false;
  const isSameAuthor =
    last.author.kind === author.kind && last.author.name === author.name && last.author.user_id === author.user_id;
  return isSameAuthor && isSameVersion(task, documents);
}

/** Comparing is linear in the smaller of the two, and the body is bounded. */
const UNLIMITED = { left: Number.POSITIVE_INFINITY };

function isSameVersion(task: VersionDocuments, documents: VersionDocuments): boolean {
  return (["payload", "payload_schema", "action"] as const).every((name) =>
    isEqual(UNLIMITED, parseJson(task[name]), parseJson(documents[name])),
  );
}

function growthOf(before: TaskWithDocuments, after: RevisedDocuments & Pick<Task, "facts">): Revision["growth"] {
  const sum = (...texts: (string | null)[]) => texts.reduce((length, text) => length + (text?.length ?? 0), 0);
  return {
    listed:
      sum(after.payload, after.listed_action, after.facts) - sum(before.payload, before.listed_action, before.facts),
    schemas:
      sum(after.payload_schema, after.response_schema, after.form_definition) -
      sum(before.payload_schema, before.response_schema, before.form_definition),
  };
}

/** @throws ServiceError VALIDATION_FAILED */
function extended({ created_at, timeout_seconds }: Task, by: number): { timeout_seconds: number; timeout_at: number } {
  const seconds = timeout_seconds + by;
  if (seconds > TIMEOUT_SECONDS_MAX)
    throw invalid("/extend_seconds", `A task is open for at most ${TIMEOUT_SECONDS_MAX} seconds from its creation.`);
  return { timeout_seconds: seconds, timeout_at: created_at + seconds * SECOND };
}
