import { toStored, type Actions } from "../actions/request.ts";
import { firstStanding } from "../approvals/count.ts";
import type { Policy } from "../approvals/policy.ts";
import { firstLadder, type Clockwork, type Escalation } from "../escalation/ladder.ts";
import { jsonTextOf } from "../lib/lazy-json.ts";
import { SECOND } from "../lib/time.ts";
import { toAnswerColumns } from "../people/accounts.ts";
import type { Asker } from "./asker.ts";
import { actorColumns, SYSTEM, type Actor } from "./decide.ts";
import type { NewTask } from "./new-task-store.ts";
import type { CheckedRequest } from "./read-request.ts";
import { NOT_DELEGATED, type Routed } from "./routed.ts";
import type { FormRequest } from "./request-form.ts";
import type { OnBehalfOf } from "./schema.ts";
import type { AuditEntry, TaskDocuments } from "./store.ts";

/** Makes the id of a row; that of a task ends with its home. */
export interface NewId {
  (prefix: "tsk", now: number, home: number): string;
  (prefix: "aud", now: number): string;
}

/** What happens to a new task while no one answers, and the calendars that it counts with. */
export interface PlacedEscalation {
  escalation: Escalation | null;
  clockwork: Clockwork;
}

/**
 * Returns the rows of a new task without an assignment.
 *
 * @param at.now - epoch milliseconds
 * @param at.home - the home of the key (db/home.ts)
 * @param newId - makes the ids of the rows
 */
export function newTask(
  {
    body: request,
    documents,
    policy,
    listing,
    project,
    placed,
  }: Pick<CheckedRequest, "body" | "documents" | "policy" | "listing"> & { project: string; placed: PlacedEscalation },
  asker: Asker,
  actor: Actor,
  { now, home }: { now: number; home: number },
  newId: NewId,
): NewTask {
  const id = newId("tsk", now, home);
  const timeout_at = now + request.timeout_seconds * SECOND;
  const { escalation, clockwork } = placed;
  const on_behalf_of = textOf(knownPersonOf(request.on_behalf_of));
  return {
    task: {
      id,
      home,
      project,
      idempotency_key: request.idempotency_key,
      status: "created",
      task: request.task,
      timeout_seconds: request.timeout_seconds,
      timeout_at,
      redact_payload: request.redact_payload ? 1 : 0,
      verification_attempt: 0,
      verifier_result: null,
      assigned_to_user_id: null,
      assigned_to_email: null,
      claimed_by_user_id: null,
      claimed_by_email: null,
      claim_expires_at: null,
      callback_url: request.callback_url ?? null,
      listed_length:
        request.task.length +
        length(
          documents.payload,
          documents.listed_action,
          documents.assign_to,
          documents.notify,
          documents.verifier_config,
          on_behalf_of,
          listing.labels,
          listing.facts,
        ),
      schemas_length: length(documents.payload_schema, documents.response_schema, documents.form_definition),
      audit_seq: 1,
      created_at: now,
      updated_at: now,
      ended_at: null,
      completed_at: null,
      timed_out_at: null,
      completed_by_email: null,
      completed_by_user_id: null,
      ...toAnswerColumns(null),
      completed_via_channel: null,
      cancelled_by: null,
      cancel_reason: null,
      ...asker,
      on_behalf_of,
      decided_by_kind: null,
      decided_by_name: null,
      approvals: policy && JSON.stringify(firstStanding(policy)),
      ...firstLadder(escalation, { created_at: now, timeout_at }, clockwork),
      // A step may mark it later.
      urgent: request.priority === "urgent" ? 1 : 0,
      ...NOT_DELEGATED,
      waiting_on: null,
      version: 1,
      ...listing,
      decision: null,
      decision_tone: null,
      edited: null,
    },
    documents: { task_id: id, home, ...documents, escalation: escalation && JSON.stringify(escalation) },
    audit: {
      task_id: id,
      home,
      seq: 0,
      id: newId("aud", now),
      action: "created",
      from_status: null,
      to_status: "created",
      ...actorColumns(actor),
      channel: null,
      verifier_reason: null,
      embed_sub: null,
      extra: null,
      created_at: now,
    },
  };
}

/** Returns the audit entry about the routing of a new task; null if the request names no one. */
export function routedEntry({ task, audit }: NewTask, { decision }: Routed): AuditEntry | null {
  if (decision === null) return null;
  return {
    ...audit,
    seq: 1,
    action: decision.action,
    from_status: task.status,
    ...actorColumns(SYSTEM),
    extra: task.redact_payload ? null : decision.extra,
  };
}

/** Returns the parts of a request that are stored as JSON. */
export function toDocuments(request: FormRequest, actions: Actions | null, policy: Policy | null): TaskDocuments {
  return {
    ...toStored(actions),
    approval_policy: policy && JSON.stringify(policy),
    escalation: null,
    on_timeout: null,
    resume: null,
    callback_events: textOf(request.callback_events),
    locale: request.locale ?? null,
    payload: jsonTextOf(request.payload),
    payload_schema: JSON.stringify(request.payload_schema),
    response_schema: JSON.stringify(request.response_schema),
    form_definition: textOf(request.form_definition),
    assign_to: textOf(request.assign_to),
    notify: textOf(request.notify),
    verifier_config: textOf(request.verifier_config),
  };
}

/** Unknown members are ignored, as in every body. */
export function knownPersonOf(person: OnBehalfOf | null | undefined): OnBehalfOf | null {
  if (person == null) return null;
  const { name, email, id } = person;
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(id !== undefined && { id }),
  };
}

function textOf(value: unknown): string | null {
  return value == null ? null : JSON.stringify(value);
}

function length(...texts: (string | null)[]): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}
