import type { Config } from "../config.ts";
import type { PatternHost } from "../../json-schema/pattern-worker-host.ts";
import type { Verify } from "../verifier/verify.ts";
import type { Notifier } from "./notices.ts";
import type { Db } from "../db/database.ts";
import { removeDeliveriesOf } from "../deliveries/live-messages.ts";
import { ServiceError } from "../errors.ts";
import { isId } from "../lib/ids.ts";
import type { JsonObject } from "../lib/json.ts";
import { emailKey, toStorableText } from "../lib/text.ts";
import { SECOND } from "../lib/time.ts";
import { isOperator, type Caller } from "../people/caller.ts";
import { requireStillValid } from "../people/identify.ts";
import { signedOutHint } from "../people/sessions.ts";
import { recordSecurityEvent } from "../security/record.ts";
import { readVerifierConfig } from "../verifier/config.ts";
import { assignmentOf, requireMay, requireMayWith } from "./access.ts";
import { actorOf, completerOf } from "./attribution.ts";
import { inboxHint, listCandidates } from "./candidates.ts";
import { requireFits, requireSchema } from "./client-schemas.ts";
import { deletionEntry } from "./entries.ts";
import {
  eventOfVerdict,
  isTerminal,
  isVerified,
  type AnswerEvent,
  type GivenAnswer,
  type VerdictGuard,
} from "./lifecycle.ts";
import { moveTask } from "./move.ts";
import { findPolledTask, type PolledTask, type Waiters } from "./poll.ts";
import type { CompleteTaskBody } from "./schema.ts";
import {
  addAuditEntry,
  deleteTask,
  getTaskWithDocuments,
  listAuditEntries,
  lockTask,
  type TaskWithDocuments,
} from "./store.ts";
import { forgetTotalsOf } from "./stored-totals.ts";
import { withoutCause } from "./unavailable-check.ts";
import type { AuditEntryRow } from "../db/schema.ts";

/** Maximum length of a verifier's reason. */
const REASON_CHARACTERS_MAX = 4000;

/** The context of `completeTask`. */
export interface CompletionContext {
  db: Db;
  config: Config;
  schemas: PatternHost;
  verify: Verify;
  notifier: Notifier;
}

/** @throws ServiceError TASK_NOT_FOUND */
export async function readTask(ctx: { db: Db }, caller: Caller, id: string): Promise<TaskWithDocuments> {
  requireMay(caller, "read");
  requireTaskId(id);
  const task = await getTaskWithDocuments(ctx.db, id);
  await requireMayWith(ctx.db, caller, "read", task);
  return task;
}

/**
 * Answers a task: checks the answer against its schema and with its verifier, then moves the task. No transaction is open
 * while the verifier runs; a change of the task in the meantime wins. (spec: Complete a task)
 *
 * @returns the task, `completed`, `rejected` or `verification_exhausted`
 * @throws ServiceError TASK_NOT_FOUND, TASK_ALREADY_TERMINAL, TASK_CHANGED, VALIDATION_FAILED, and the verifier's codes
 */
export async function completeTask(
  ctx: CompletionContext,
  caller: Caller,
  id: string,
  body: CompleteTaskBody,
): Promise<TaskWithDocuments> {
  requireMay(caller, "complete");
  requireTaskId(id);
  const task = await getTaskWithDocuments(ctx.db, id);
  await requireMayWith(ctx.db, caller, "complete", task);
  if (isTerminal(task.status) || ctx.db.now() >= task.timeout_at) throw new ServiceError("TASK_ALREADY_TERMINAL");
  await requireFits(ctx.schemas, requireSchema(task.response_schema, "/response_schema"), body.response, "/response");

  const by = completerOf(caller, body);
  const event = await verifyAnswer(ctx, task, { response: body.response, by }).catch((error: unknown) => {
    throw withoutCause(error, caller);
  });
  // The caller may have been signed out while the verifier was asked.
  if (task.verifier_config !== null) await requireStillValid(ctx, caller);
  const moved = await moveTask(
    ctx,
    task,
    async (reader, now) => {
      await requireMayWith(reader, caller, "complete", now);
      return event.type === "accepted" ? { ...event, assigns: await assignmentOf(reader, caller, now) } : event;
    },
    actorOf(caller, by.email),
  );
  const response = JSON.stringify(body.response);
  return {
    ...task,
    ...moved,
    response: moved.status === "completed" ? response : null,
    rejected_response: moved.status === "rejected" ? response : null,
  };
}

/** Returns the event for a valid answer. The verifier is skipped if the payload is redacted. */
async function verifyAnswer(
  ctx: CompletionContext,
  task: TaskWithDocuments,
  answer: GivenAnswer,
): Promise<AnswerEvent> {
  if (!isVerified(task)) return { type: "accepted", assigns: null, ...answer, verdict: null };
  const config = readVerifierConfig(JSON.parse(task.verifier_config!) as JsonObject, ctx.config.verifier.keyEnvs);
  const guard: VerdictGuard = { status: task.status, verification_attempt: task.verification_attempt };
  const verdict = await ctx.verify(config, {
    task: task.task,
    payload: JSON.parse(task.payload) as JsonObject,
    response: answer.response,
  });
  const reason = toStorableText(verdict.reason, REASON_CHARACTERS_MAX);
  return eventOfVerdict(answer, { passed: verdict.passed, reason }, guard, config.max_attempts);
}

/** @throws ServiceError TASK_NOT_FOUND, TASK_ALREADY_TERMINAL */
export async function cancelTask(
  ctx: { db: Db; notifier: Notifier },
  caller: Caller,
  id: string,
  reason: string | null,
): Promise<TaskWithDocuments> {
  requireMay(caller, "cancel");
  requireTaskId(id);
  const task = await getTaskWithDocuments(ctx.db, id);
  const actor = actorOf(caller);
  const moved = await moveTask(ctx, task, { type: "cancelled", reason, email: actor.email }, actor);
  return { ...task, ...moved };
}

/**
 * Sets the deadline of an open task, counted from its creation: later or earlier. (spec: Create a task, timeout_seconds)
 * @throws ServiceError TASK_NOT_FOUND, TASK_ALREADY_TERMINAL, VALIDATION_FAILED if the new deadline has passed
 */
export async function extendTask(
  ctx: { db: Db; notifier: Notifier },
  caller: Caller,
  id: string,
  timeout_seconds: number,
): Promise<TaskWithDocuments> {
  requireMay(caller, "extend");
  requireTaskId(id);
  const task = await getTaskWithDocuments(ctx.db, id);
  const timeout_at = task.created_at + timeout_seconds * SECOND;
  const isOpen = !isTerminal(task.status) && ctx.db.now() < task.timeout_at;
  // A repeated request changes nothing, so a client may send it again.
  if (isOpen && timeout_at === task.timeout_at) return task;
  const moved = await moveTask(ctx, task, { type: "extended", timeout_seconds, timeout_at }, actorOf(caller));
  return { ...task, ...moved };
}

/**
 * Waits up to `timeoutSeconds` until the task is closed, and returns its state. (spec: Tasks, poll)
 * @throws ServiceError FORBIDDEN, also if the task was reassigned in the meantime; TASK_NOT_FOUND, also if it was deleted
 */
export async function pollTask(
  ctx: { db: Db; waiters: Waiters },
  caller: Caller,
  id: string,
  timeoutSeconds: number,
  signal: AbortSignal,
): Promise<PolledTask> {
  requireMay(caller, "poll");
  requireTaskId(id);
  // Operators may see every task. For others access is checked before and after the wait.
  if (!isOperator(caller)) await requireMayWith(ctx.db, caller, "poll", await getPolledTask(ctx.db, id));
  const task = await waitAs(ctx, caller, id, timeoutSeconds * SECOND, signal);
  if (task === null) throw new ServiceError("TASK_NOT_FOUND");
  await requireMayWith(ctx.db, caller, "poll", task);
  return task;
}

/**
 * Waits until a task is closed or a session of the caller ends, and returns the state at that moment.
 *
 * @throws ServiceError UNAUTHENTICATED if it was this session
 */
async function waitAs(
  ctx: { db: Db; waiters: Waiters },
  caller: Caller,
  id: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<PolledTask | null> {
  if (caller.kind !== "user") return ctx.waiters.wait(id, timeoutMs, signal);
  const signedOut = new AbortController();
  const hint = signedOutHint(caller.user.id);
  const unlisten = ctx.db.hints.listen((one) => {
    if (one === hint) signedOut.abort();
  });
  try {
    const task = await ctx.waiters.wait(id, timeoutMs, AbortSignal.any([signal, signedOut.signal]), caller.user.id);
    // Checked in any case, because a hint may be lost.
    await requireStillValid(ctx, caller);
    return signedOut.signal.aborted ? await findPolledTask(ctx.db, id) : task;
  } finally {
    unlisten();
  }
}

async function getPolledTask(db: Db, id: string): Promise<PolledTask> {
  const task = await findPolledTask(db, id);
  if (task === null) throw new ServiceError("TASK_NOT_FOUND");
  return task;
}

/** Returns the audit trail, oldest first. Of a deleted task only the deletion is left. @throws ServiceError TASK_NOT_FOUND */
export async function readAuditTrail(ctx: { db: Db }, caller: Caller, id: string): Promise<AuditEntryRow[]> {
  requireMay(caller, "audit");
  requireTaskId(id);
  const entries = await listAuditEntries(ctx.db, id);
  if (entries.length === 0) throw new ServiceError("TASK_NOT_FOUND");
  return entries;
}

/**
 * Deletes a task with its documents, audit trail and deliveries, and frees its key. One audit entry remains: the id, who
 * deleted it, and when. @throws ServiceError TASK_NOT_FOUND
 */
export async function removeTask(ctx: { db: Db }, caller: Caller, id: string): Promise<void> {
  requireMay(caller, "delete");
  requireTaskId(id);
  await ctx.db.write(async (tx) => {
    const task = await lockTask(tx, id);
    const actor = actorOf(caller);
    const involved = [...(await listCandidates(tx, id)), task.assigned_to_user_id, task.assigned_to_email];
    await removeDeliveriesOf(tx, id);
    await deleteTask(tx, id);
    await forgetTotalsOf(tx, task);
    await addAuditEntry(tx, deletionEntry(task, actor, tx.now()));
    await recordSecurityEvent(tx, { type: "task_deleted", target: { kind: "task", id } });
    tx.hint(`task:${id}`);
    for (const person of involved) if (person !== null) tx.hint(inboxHint(emailKey(person)));
  });
}

/** Rejects malformed ids before any query. */
export function requireTaskId(id: string): void {
  if (!isId("tsk", id)) throw new ServiceError("TASK_NOT_FOUND");
}
