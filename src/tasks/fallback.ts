import { answerToStore, decisionsIn } from "../actions/decision.ts";
import type { StoredActions } from "../actions/request.ts";
import type { Policy } from "../approvals/policy.ts";
import { invalid } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";

/**
 * Returns the answer that counts at the deadline, as it will be stored. (beyond the spec: In time)
 * @param response - fits the response schema of the task
 * @throws ServiceError VALIDATION_FAILED, NOT_EDITABLE
 */
export function fallbackOf(response: JsonObject, documents: StoredActions, policy: Policy | null): JsonObject {
  const answer = answerToStore(documents, response, null, "/on_timeout/response");
  if (policy !== null && decisionsIn(answer).some(({ decision }) => decision === "approve" || decision === "edit"))
    throw invalid("/on_timeout/response", "Several people must approve, so silence cannot.");
  return answer;
}
