import type { Config } from "../config.ts";
import type { PatternHost } from "../../json-schema/pattern-worker-host.ts";
import type { Verify } from "../verifier/verify.ts";
import type { Notifier } from "./notices.ts";
import type { Db } from "../db/database.ts";
import { answerToStore } from "../actions/decision.ts";
import type { DecisionReader } from "./decision-in-answer.ts";
import { isEditedIn } from "./edited.ts";
import { isHidden } from "../approvals/count.ts";
import type { Policy } from "../approvals/policy.ts";
import { proposalOf, roundOf } from "../approvals/proposal.ts";
import { removeDeliveriesOf } from "../deliveries/live-messages.ts";
import { clockworkFor } from "../escalation/clockwork.ts";
import { movedLadder, stepsOf } from "../escalation/ladder.ts";
import { ServiceError } from "../errors.ts";
import { isId } from "../lib/ids.ts";
import { parseJson, type JsonObject } from "../lib/json.ts";
import { jsonTextOf, wholeOf } from "../lib/lazy-json.ts";
import { emailKey, toStorableText } from "../lib/text.ts";
import { SECOND } from "../lib/time.ts";
import type { AgentFinder } from "../people/agent-caller.ts";
import { isOperator, type Caller } from "../people/caller.ts";
import { requireStillValid } from "../people/identify.ts";
import { signedOutHint } from "../people/sessions.ts";
import { leaveGroups } from "../resume/deleted-task.ts";
import { recordSecurityEvent } from "../security/record.ts";
import type { Subscriptions } from "../subscriptions/known.ts";
import { readVerifierConfig } from "../verifier/config.ts";
import { assignmentOf, requireMay, requireMayWith } from "./access.ts";
import { anotherRound, ballotOf } from "./approving.ts";
import { actorOf, completerOf } from "./attribution.ts";
import { inboxHint, listCandidates } from "./candidates.ts";
import { requireFits, requireSchema } from "./client-schemas.ts";
import { deletionEntry } from "./entries.ts";
import { deletedHint } from "./events.ts";
import type { TaskFinder } from "./finder.ts";
import {
  eventOfVerdict,
  isTerminal,
  isVerified,
  requireVersion,
  type AnswerEvent,
  type GivenAnswer,
  type VerdictGuard,
} from "./lifecycle.ts";
import { moveTask, type MoveContext } from "./move.ts";
import type { Mover } from "./mover.ts";
import { findPolledTask, isAnswer, type PolledTask, type Waiters } from "./poll.ts";
import type { CompleteTaskBody, PollUntil } from "./schema.ts";
import {
  addAuditEntry,
  deleteTask,
  findRefusedResponse,
  findTask,
  getTaskWithDocuments,
  listAuditEntries,
  lockTask,
  type Task,
  type TaskWithDocuments,
} from "./store.ts";
import { forgetTotalsOf } from "./stored-totals.ts";
import { withoutCause } from "./unavailable-check.ts";
import type { AuditEntryRow } from "../db/schema.ts";

/** The entries of decisions that do not end a task. */
const DECIDED: ReadonlySet<string> = new Set(["approved", "declined", "withdrawn"]);
/** Maximum length of a verifier's reason. */
const REASON_CHARACTERS_MAX = 4000;

/** The context of `completeTask`. */
export interface CompletionContext {
  db: Db;
  agents: AgentFinder;
  config: Config;
  schemas: PatternHost;
  largeBodies: { decisionIn: DecisionReader };
  verify: Verify;
  notifier: Notifier;
  subscriptions: Subscriptions;
  mover: Mover;
  finder: TaskFinder;
}

/** The context of `pollTask`. */
export interface PollContext {
  db: Db;
  agents: AgentFinder;
  waiters: Waiters;
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
 * @returns the task, `completed`, `rejected` or `verification_exhausted`; where several people must approve, perhaps still open
 * @throws ServiceError TASK_NOT_FOUND, HOST_MAY_NOT_ANSWER, NEEDS_A_PERSON, EXCLUDED, TASK_ALREADY_TERMINAL, TASK_CHANGED, TASK_REVISED,
 *   TOO_MANY_ROUNDS, TOO_MANY_DECISIONS, VALIDATION_FAILED, and the verifier's codes
 */
export async function completeTask(
  ctx: CompletionContext,
  caller: Caller,
  id: string,
  body: CompleteTaskBody,
): Promise<TaskWithDocuments> {
  requireMay(caller, "complete");
  requireTaskId(id);
  const task = await ctx.finder(id);
  await requireMayWith(ctx.db, caller, "complete", task);
  if (isTerminal(task.status) || ctx.db.now() >= task.timeout_at) throw new ServiceError("TASK_ALREADY_TERMINAL");
  if (body.version != null) requireVersion(task, body.version);
  const schema = requireSchema(task.response_schema, "/response_schema");
  await requireFits(ctx.schemas, schema, body.response, "/response", "assert");
  const answer = answerToStore(task, body.response, proposalOf(task));

  const by = completerOf(caller, body);
  const decision = await ctx.largeBodies.decisionIn(task, answer, by.channel);
  const edited = isEditedIn(task, answer);
  const event = await verifyAnswer(ctx, task, { response: answer, by, decision, edited }).catch((error: unknown) => {
    throw withoutCause(error, caller);
  });
  // The caller may have been signed out while the verifier was asked.
  const callerNow = task.verifier_config === null ? caller : await requireStillValid(ctx, caller);
  const moved = await moveTask(
    ctx,
    task,
    async (reader, now) => {
      await requireMayWith(reader, callerNow, "complete", now);
      // An agent may have lost the scope to name a person.
      if (completerOf(callerNow, body).kind !== by.kind) throw new ServiceError("TASK_CHANGED");
      if (event.type !== "accepted") return event;
      requireVersion(now, task.version);
      if (now.approvals === null) return { ...event, assigns: await assignmentOf(reader, callerNow, now) };
      // It was checked against what was up for approval then.
      if (roundOf(task) !== roundOf(now)) throw anotherRound();
      const policy = JSON.parse(task.approval_policy!) as Policy;
      return { ...event, ballot: await ballotOf(reader, now, policy, event, body.round ?? null) };
    },
    actorOf(caller, by.email),
  );
  const response = jsonTextOf(answer);
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
  const guard: VerdictGuard = {
    status: task.status,
    verification_attempt: task.verification_attempt,
    version: task.version,
  };
  const verdict = await ctx.verify(config, {
    task: task.task,
    payload: JSON.parse(task.payload) as JsonObject,
    response: wholeOf(answer.response),
  });
  const reason = toStorableText(verdict.reason, REASON_CHARACTERS_MAX);
  return eventOfVerdict(answer, { passed: verdict.passed, reason }, guard, config.max_attempts);
}

/** @throws ServiceError TASK_NOT_FOUND, TASK_ALREADY_TERMINAL */
export async function cancelTask(
  ctx: MoveContext,
  caller: Caller,
  id: string,
  reason: string | null,
): Promise<TaskWithDocuments> {
  requireMay(caller, "cancel");
  requireTaskId(id);
  const task = await getTaskWithDocuments(ctx.db, id);
  await requireMayWith(ctx.db, caller, "cancel", task);
  const actor = actorOf(caller);
  const moved = await moveTask(ctx, task, { type: "cancelled", reason, email: actor.email }, actor);
  return { ...task, ...moved };
}

/**
 * Sets the deadline of an open task, counted from its creation: later or earlier. (spec: Create a task, timeout_seconds)
 * @throws ServiceError TASK_NOT_FOUND, TASK_ALREADY_TERMINAL, VALIDATION_FAILED if the new deadline has passed
 */
export async function extendTask(
  ctx: MoveContext,
  caller: Caller,
  id: string,
  timeout_seconds: number,
): Promise<TaskWithDocuments> {
  requireMay(caller, "extend");
  requireTaskId(id);
  const task = await getTaskWithDocuments(ctx.db, id);
  await requireMayWith(ctx.db, caller, "extend", task);
  const timeout_at = task.created_at + timeout_seconds * SECOND;
  const isOpen = !isTerminal(task.status) && ctx.db.now() < task.timeout_at;
  // A repeated request changes nothing, so a client may send it again.
  if (isOpen && timeout_at === task.timeout_at) return task;
  const clockwork = await clockworkFor(ctx.db, task.project, stepsOf(task.escalation));
  const moved = await moveTask(
    ctx,
    task,
    async (_reader, { ladder, created_at }) => {
      const steps = movedLadder({ ladder, escalation: task.escalation }, { created_at, timeout_at }, clockwork);
      return { type: "extended", timeout_seconds, timeout_at, steps };
    },
    actorOf(caller),
  );
  // An answer may have been rejected since the task was read.
  const isSameAnswer = moved.verification_attempt === task.verification_attempt;
  const rejected_response = isSameAnswer ? task.rejected_response : await findRefusedResponse(ctx.db, moved);
  return { ...task, ...moved, rejected_response };
}

/**
 * Waits up to `timeoutSeconds` until the task is closed, or needs attention if that is what `until` says, and returns its state.
 * (spec: Tasks, poll; beyond: Talk before deciding)
 * @throws ServiceError FORBIDDEN, also if the task was reassigned in the meantime; TASK_NOT_FOUND, also if it was deleted
 */
export async function pollTask(
  ctx: PollContext,
  caller: Caller,
  id: string,
  timeoutSeconds: number,
  signal: AbortSignal,
  until: PollUntil = "end",
): Promise<PolledTask> {
  requireMay(caller, "poll");
  requireTaskId(id);
  // Operators may see every task. For others access is checked before and after the wait.
  if (!isOperator(caller)) {
    const now = await pollNow(ctx, caller, id, timeoutSeconds, until);
    if (now !== null) return now;
  }
  const { task, callerNow } = await waitAs(ctx, caller, id, timeoutSeconds * SECOND, signal, until);
  if (task === null) throw new ServiceError("TASK_NOT_FOUND");
  await requireMayWith(ctx.db, callerNow, "poll", task);
  return task;
}

/** Returns the task, or null if the caller is to wait for it. It is read here, so that a poll that waits does not keep it. */
async function pollNow(
  ctx: PollContext,
  caller: Caller,
  id: string,
  timeoutSeconds: number,
  until: PollUntil,
): Promise<PolledTask | null> {
  const task = await getPolledTask(ctx.db, id);
  await requireMayWith(ctx.db, caller, "poll", task);
  if (!isAnswer(task, until) && timeoutSeconds > 0) return null;
  // The agent may have been stopped, and its tasks with it, since its request came.
  if (caller.kind === "agent") await requireStillValid(ctx, caller);
  return task;
}

/**
 * Waits until a task is closed or the credentials of the caller end, and returns the state at that moment.
 *
 * @throws ServiceError UNAUTHENTICATED if it was this session; AGENT_TOKEN_REVOKED, AGENT_DISABLED
 */
async function waitAs(
  ctx: PollContext,
  caller: Caller,
  id: string,
  timeoutMs: number,
  signal: AbortSignal,
  until: PollUntil,
): Promise<{ task: PolledTask | null; callerNow: Caller }> {
  const ended = new AbortController();
  const unwatch = watchCredentials(ctx, caller, () => ended.abort());
  if (unwatch === null) return { task: await ctx.waiters.wait(id, timeoutMs, signal, { until }), callerNow: caller };
  try {
    const person = caller.kind === "user" ? caller.user.id : null;
    const task = await ctx.waiters.wait(id, timeoutMs, AbortSignal.any([signal, ended.signal]), { until, person });
    // Checked in any case, because a hint may be lost. No one is told of the outcome with credentials that have ended.
    const callerNow = await requireStillValid(ctx, caller);
    return { task: ended.signal.aborted ? await findPolledTask(ctx.db, id) : task, callerNow };
  } finally {
    unwatch();
  }
}

/** Calls `onEnd` when the credentials of a caller may have ended. @returns a function that ends the watch; null: they do not end */
function watchCredentials({ db, agents }: PollContext, caller: Caller, onEnd: () => void): (() => void) | null {
  if (caller.kind === "agent") return agents.watch(caller, onEnd);
  if (caller.kind !== "user") return null;
  const hint = signedOutHint(caller.user.id);
  return db.hints.listen((one) => {
    if (one === hint) onEnd();
  });
}

async function getPolledTask(db: Db, id: string): Promise<PolledTask> {
  const task = await findPolledTask(db, id);
  if (task === null) throw new ServiceError("TASK_NOT_FOUND");
  return task;
}

/**
 * Returns the audit trail, oldest first, and its task. Of a deleted task only the deletion is left.
 * @throws ServiceError TASK_NOT_FOUND
 */
export async function readAuditTrail(
  ctx: { db: Db },
  caller: Caller,
  id: string,
): Promise<{ entries: AuditEntryRow[]; task: Task | null }> {
  requireMay(caller, "audit");
  requireTaskId(id);
  const task = await findTask(ctx.db, id);
  if (task !== null) await requireMayWith(ctx.db, caller, "audit", task);
  const entries = await listAuditEntries(ctx.db, id);
  // What an agent had asked is not known any more once the task is deleted.
  if (entries.length === 0 || (task === null && !isOperator(caller))) throw new ServiceError("TASK_NOT_FOUND");
  return { entries: entries.filter((entry) => task === null || !isEntryHidden(task, entry)), task };
}

/** While a blind task is open, its trail tells of no decision, and of no notice that only those get who have decided. */
export function isEntryHidden(
  task: Pick<Task, "approvals" | "ended_at">,
  { action, extra }: Pick<AuditEntryRow, "action" | "extra">,
): boolean {
  if (!isHidden(task)) return false;
  return DECIDED.has(action) || parseJson<{ purpose?: string }>(extra)?.purpose === "new_round";
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
    await requireMayWith(tx, caller, "delete", task);
    const actor = actorOf(caller);
    const involved = [...(await listCandidates(tx, id)), task.assigned_to_user_id, task.assigned_to_email];
    await leaveGroups(tx, id);
    await removeDeliveriesOf(tx, id);
    await deleteTask(tx, id);
    await forgetTotalsOf(tx, task);
    await addAuditEntry(tx, deletionEntry(task, actor, tx.now()));
    await recordSecurityEvent(tx, { type: "task_deleted", target: { kind: "task", id } });
    tx.hint(`task:${id}`);
    tx.hint(deletedHint(task.project));
    for (const person of involved) if (person !== null) tx.hint(inboxHint(emailKey(person)));
  });
}

/** Rejects malformed ids before any query. */
export function requireTaskId(id: string): void {
  if (!isId("tsk", id)) throw new ServiceError("TASK_NOT_FOUND");
}
