import { answerToStore, decisionsIn } from "../actions/decision.ts";
import type { StoredActions } from "../actions/request.ts";
import type { Policy } from "../approvals/policy.ts";
import { invalid } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";

const PATH = "/on_timeout/response";

/**
 * Rejects an answer that cannot count at the deadline. (beyond the spec: In time)
 *
 * @param response - fits the response schema of the task
 * @throws ServiceError VALIDATION_FAILED, NOT_EDITABLE
 */
export function requireMayFallBack(response: JsonObject, task: StoredActions, policy: Policy | null): void {
  const answer = fallbackOf(response, task);
  if (policy !== null && decisionsIn(answer).some(({ decision }) => decision === "approve" || decision === "edit"))
    throw invalid(PATH, "Several people must approve, so silence cannot.");
}

/** Returns the answer of a task that no one has answered in time, as it is stored. @param response - as its request has it */
export function fallbackOf(response: JsonObject, task: StoredActions): JsonObject {
  return answerToStore(task, response, null, PATH);
}
