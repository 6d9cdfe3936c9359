import type { AuditEntryRow } from "../db/schema.ts";
import type { JsonObject } from "../lib/json.ts";
import { isoTime } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import { seesRouting } from "./access.ts";
import type { PolledTask } from "./poll.ts";
import type { AuditEntryRecord, PollResult, TaskRecord } from "./schema.ts";
import { parseJson, type Task, type TaskDocuments, type WholeTask } from "./store.ts";

/** A task as the wire shows it to this caller. (spec: Task record) */
export function toRecord(task: WholeTask, caller: Caller): TaskRecord {
  return {
    ...commonFields(task),
    ...routingFields(task, caller),
    payload: task.payload,
    payload_schema: task.payload_schema,
    response_schema: task.response_schema,
    form_definition: task.form_definition,
    assign_to: task.assign_to,
    response: task.response,
  };
}

/** The fields that records and rows of lists share. */
export function commonFields(task: Task) {
  return {
    id: task.id,
    idempotency_key: task.idempotency_key,
    status: task.status,
    task: task.task,
    assigned_to_email: task.assigned_to_email,
    assigned_to_user_id: task.assigned_to_user_id,
    claimed_by_email: task.claimed_by_email,
    claim_expires_at: isoTime(task.claim_expires_at),
    verifier_result: task.verifier_result,
    verification_attempt: task.verification_attempt,
    timeout_seconds: task.timeout_seconds,
    timeout_at: isoTime(task.timeout_at),
    redact_payload: task.redact_payload,
    created_at: isoTime(task.created_at),
    updated_at: isoTime(task.updated_at),
    completed_at: isoTime(task.completed_at),
    timed_out_at: isoTime(task.timed_out_at),
    completed_by_email: task.completed_by_email,
    completed_by_user_id: task.completed_by_user_id,
    completed_via_channel: task.completed_via_channel,
  };
}

/** Where messages and the outcome go, for those who may know. */
export function routingFields(task: Task & Pick<TaskDocuments, "notify" | "verifier_config">, caller: Caller) {
  if (!seesRouting(caller)) return {};
  return { notify: task.notify, callback_url: task.callback_url, verifier_config: task.verifier_config };
}

export function toPollResult(task: PolledTask): PollResult {
  return {
    task_id: task.id,
    idempotency_key: task.idempotency_key,
    status: task.status,
    response: parseJson<JsonObject>(task.response),
    completed_at: isoTime(task.completed_at),
    timed_out_at: isoTime(task.timed_out_at),
    completed_by_email: task.completed_by_email,
    completed_via_channel: task.completed_via_channel,
    verification_attempt: task.verification_attempt,
    verifier_result: task.verifier_result,
  };
}

export function toAuditRecord(row: AuditEntryRow): AuditEntryRecord {
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
  };
}
