import { actionFields, listedActionFields } from "../actions/request.ts";
import { toCommentRecord } from "../conversation/record.ts";
import type { WaitingOn } from "../conversation/schema.ts";
import type { AuditEntryRow } from "../db/schema.ts";
import { joinJson, parseJson, type JsonObject, type JsonText } from "../lib/json.ts";
import { isoTime } from "../lib/time.ts";
import { answerAccountOf, toAnswerColumns } from "../people/accounts.ts";
import { payloadOf } from "../approvals/proposal.ts";
import { toApprovals, toApprovalsSummary } from "../approvals/record.ts";
import { toNextStep, toSteps } from "../escalation/record.ts";
import { personOf, type Caller } from "../people/caller.ts";
import { toResumeRecords } from "../resume/record.ts";
import { askedFields, type AskedTask } from "./asker.ts";
import { attemptsLeft } from "./attempts-left.ts";
import { decidedBy, type DecidedTask } from "./decided-by.ts";
import { isVerified } from "./lifecycle.ts";
import { listingFields } from "./listing.ts";
import { cancelledAt } from "./outcome.ts";
import type { PolledTask } from "./poll.ts";
import type { AuditEntryRecord, PollResult, TaskRecord } from "./schema.ts";
import type { Task, TaskDocuments, TaskWithDocuments } from "./store.ts";
import { storedDecision } from "./short-decision.ts";
import { seesRouting } from "./visibility.ts";

/** JSON fields of clients. They are stored and sent as text. */
type Documents =
  | "payload"
  | "payload_schema"
  | "response_schema"
  | "form_definition"
  | "assign_to"
  | "notify"
  | "verifier_config"
  | "response"
  | "rejected_response"
  | "action"
  | "actions"
  | "approvals"
  | "escalation"
  | "on_timeout"
  | "locale"
  | "resume"
  | "host_may_answer"
  | "snoozed_until";

/**
 * Returns the task as this caller sees it, as JSON of a `TaskRecord`. (spec: Task record)
 * @param refusal - why the caller's decision does not count; null if it does
 * @param host_may_answer - left out if undefined
 * @param snoozed_until - of the caller, in epoch milliseconds; null if they have not snoozed it
 */
export function toRecord(
  task: TaskWithDocuments,
  caller: Caller,
  {
    refusal = null,
    host_may_answer,
    snoozed_until = null,
  }: {
    refusal?: string | null;
    host_may_answer?: TaskRecord["host_may_answer"] | undefined;
    snoozed_until?: number | null;
  } = {},
): JsonText {
  const { payload_schema, response_schema, form_definition, response, rejected_response } = task;
  const payload = payloadOf(task);
  const standing = toApprovals(task, task.votes, personOf(caller)?.id ?? null);
  return joinJson(
    firstFields(task),
    {
      payload,
      payload_schema,
      response_schema,
      form_definition,
      ...routingTexts(task, task, caller),
      response,
      ...(task.status === "rejected" && rejected_response !== null && { rejected_response }),
    },
    {
      ...lastFields(task, task, caller),
      locale: task.locale,
      ...actionFields(task),
      approvals: standing && { ...standing, refusal },
      escalation: toSteps(task, seesRouting(caller, task)),
      on_timeout: task.on_timeout === null ? null : { response: JSON.parse(task.on_timeout) as JsonObject },
      ...(host_may_answer !== undefined && { host_may_answer }),
      ...(snoozed_until !== null && { snoozed_until: isoTime(snoozed_until) }),
      ...(seesRouting(caller, task) && { resume: toResumeRecords(task.resume, task.ended_at !== null, task.resumed) }),
    },
  );
}

/** Returns a row of a list as JSON of a `ListedTask`. It has the schemas if they were read. (spec: Tasks, list) */
export function toListed(
  task: Task,
  documents: Pick<TaskWithDocuments, "listed_action" | "assign_to" | "notify" | "verifier_config"> &
    Partial<TaskWithDocuments>,
  caller: Caller,
  snoozed_until: number | null = null,
): JsonText {
  const { payload, response, payload_schema, response_schema, form_definition } = documents;
  const texts = {
    ...(payload !== undefined && { payload: task.redact_payload ? '{"_redacted":true}' : payload }),
    ...(payload_schema !== undefined &&
      response_schema !== undefined &&
      form_definition !== undefined && { payload_schema, response_schema, form_definition }),
    ...routingTexts(task, documents, caller),
    ...(response !== undefined && { response }),
  };
  return joinJson(firstFields(task), texts, {
    ...lastFields(task, documents, caller),
    ...listedActionFields(documents.listed_action),
    approvals: toApprovalsSummary(task),
    ...(snoozed_until !== null && { snoozed_until: isoTime(snoozed_until) }),
  });
}

// Fields that records and rows of lists share. Fields that are named neither here nor above are never sent.

function firstFields({ id, project, idempotency_key, status, task }: Task) {
  return { id, project, idempotency_key, status, task } satisfies Partial<TaskRecord>;
}

function lastFields(
  task: Task,
  { verifier_config }: Pick<TaskDocuments, "verifier_config">,
  caller: Caller,
): Omit<TaskRecord, Documents | keyof ReturnType<typeof firstFields>> {
  return {
    assigned_to_email: task.assigned_to_email,
    assigned_to_user_id: task.assigned_to_user_id,
    ...delegatedFields(task),
    claimed_by_email: task.claimed_by_email,
    claim_expires_at: isoTime(task.claim_expires_at),
    // Only some callers see the verifier's settings. All need to know that an answer is checked.
    is_verified: isVerified({ verifier_config, redact_payload: task.redact_payload }),
    verifier_result: task.verifier_result,
    verification_attempt: task.verification_attempt,
    verification_attempts_left: attemptsLeft({ ...task, verifier_config }),
    timeout_seconds: task.timeout_seconds,
    timeout_at: isoTime(task.timeout_at),
    next_step: toNextStep(task),
    waiting_on: waitingOn(task),
    version: task.version,
    urgent: task.urgent === 1,
    ...listingFields(task),
    redact_payload: task.redact_payload,
    created_at: isoTime(task.created_at),
    updated_at: isoTime(task.updated_at),
    completed_at: isoTime(task.completed_at),
    timed_out_at: isoTime(task.timed_out_at),
    completed_by_email: task.completed_by_email,
    completed_by_user_id: task.completed_by_user_id,
    ...toAnswerColumns(answerAccountOf(task)),
    completed_via_channel: task.completed_via_channel,
    cancelled_at: isoTime(cancelledAt(task)),
    cancelled_by: task.cancelled_by,
    cancel_reason: task.cancel_reason,
    ...askedFields(task),
    decided_by: decidedBy(task),
    decision: storedDecision(task),
    ...(seesRouting(caller, task) && { callback_url: task.callback_url }),
  };
}

/** What an open task waits for; null once it is closed. */
function waitingOn({ ended_at, waiting_on }: Pick<Task, "ended_at" | "waiting_on">): WaitingOn | null {
  if (ended_at !== null) return null;
  return waiting_on === "agent" ? "agent" : "people";
}

function delegatedFields(task: Task): Pick<TaskRecord, "delegated_from" | "delegated_until"> {
  const { delegated_from_user_id: user_id, delegated_from_email: email, delegated_until } = task;
  return {
    delegated_from: user_id === null ? null : { user_id, email },
    delegated_until: isoTime(delegated_until),
  };
}

/** Returns the routing of a task. Destinations and the verifier are included only for callers who may see them. */
function routingTexts(
  task: Task,
  { assign_to, notify, verifier_config }: Pick<TaskDocuments, "assign_to" | "notify" | "verifier_config">,
  caller: Caller,
) {
  return seesRouting(caller, task) ? { assign_to, notify, verifier_config } : { assign_to };
}

/** Returns the task as JSON of a `PollResult`. (spec: Tasks, poll) */
export function toPollResult(task: PolledTask): JsonText {
  const first = {
    task_id: task.id,
    idempotency_key: task.idempotency_key,
    status: task.status,
    waiting_on: waitingOn(task),
    version: task.version,
    questions: task.questions.map(toCommentRecord),
  };
  const last: Omit<PollResult, "response" | keyof typeof first> = {
    completed_at: isoTime(task.completed_at),
    timed_out_at: isoTime(task.timed_out_at),
    completed_by_email: task.completed_by_email,
    completed_via_channel: task.completed_via_channel,
    cancelled_at: isoTime(cancelledAt(task)),
    cancelled_by: task.cancelled_by,
    cancel_reason: task.cancel_reason,
    ...askedFields(task),
    decided_by: decidedBy(task),
    verification_attempt: task.verification_attempt,
    verifier_result: task.verifier_result,
    ...(task.approvals !== null && { approvals: toApprovals(task, task.votes, null)! }),
  };
  return joinJson(first, { response: task.response }, last);
}

/** @param task - its task, which says who asked and who decided; null if it is deleted */
export function toAuditRecord(row: AuditEntryRow, task: (AskedTask & DecidedTask) | null): AuditEntryRecord {
  const { id, task_id, action, from_status, to_status, actor_email, channel, verifier_reason, embed_sub } = row;
  return {
    id,
    task_id,
    action,
    from_status,
    to_status,
    actor_type: row.actor_type as AuditEntryRecord["actor_type"],
    actor_email,
    channel,
    verifier_reason,
    embed_sub,
    extra: parseJson<JsonObject>(row.extra),
    created_at: isoTime(row.created_at),
    agent_id: row.agent_id,
    agent_name: row.agent_name,
    ...(task !== null && action === "created" && askedFields(task)),
    ...(task !== null && to_status === "completed" && from_status !== "completed" && { decided_by: decidedBy(task) }),
  };
}
