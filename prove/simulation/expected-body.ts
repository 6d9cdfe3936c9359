import type { TaskRecord } from "../../src/tasks/schema.ts";

/** Returns the body of the callback of a task, which is also what resumes an engine. */
export function expectedBody(record: TaskRecord): object {
  return {
    task_id: record.id,
    idempotency_key: record.idempotency_key,
    status: record.status,
    response: record.response,
    completed_at: record.completed_at,
    timed_out_at: record.timed_out_at,
    completed_by_email: record.completed_by_email,
    completed_via_channel: record.completed_via_channel,
    verification_attempt: record.verification_attempt,
    cancelled_at: record.cancelled_at,
    cancelled_by: record.cancelled_by,
    cancel_reason: record.cancel_reason,
    asked_by: record.asked_by,
    on_behalf_of: record.on_behalf_of,
    decided_by: record.decided_by,
    ...(record.approvals !== null && { approvals: withoutRefusal(record.approvals) }),
  };
}

/** A callback has no reader who could be refused. */
function withoutRefusal({ refusal: _refusal, ...approvals }: NonNullable<TaskRecord["approvals"]>): object {
  return approvals;
}
