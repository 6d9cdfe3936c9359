import type { Reader } from "../db/database.ts";
import { answerAccountOf, UNKNOWN_MEMBER } from "../people/accounts.ts";
import { nameOf } from "../tasks/answerers.ts";
import type { Task } from "../tasks/store.ts";
import { explain, type FieldError } from "../../form/plan/check.ts";
import type { Plan } from "../../form/plan/plan.ts";
import { ServiceError } from "../errors.ts";
import { parseJsonBody } from "../http/body.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";

/**
 * What a form gives, as the API reads answers: what its bodies may not hold, no answer may.
 * @throws ServiceError MALFORMED_REQUEST, VALIDATION_FAILED
 */
export function responseOf(value: unknown): JsonObject {
  const response = parseJsonBody(Buffer.from(JSON.stringify(value ?? null)));
  if (!isJsonObject(response))
    throw new ServiceError("VALIDATION_FAILED", { message: "The answer must be an object." });
  return response;
}

/** What the service has against an answer, at the fields of its form; empty where it is about none of them. */
export function fieldErrorsOf(plan: Plan, { details = [] }: ServiceError): readonly FieldError[] {
  const findings = details.map(({ path, keyword = "" }) => ({ path: path.replace(/^\/response/, ""), keyword }));
  return explain(plan, findings);
}

/** Who answered, in words; null where nobody knows. */
export async function answererOf(reader: Reader, task: Task): Promise<string | null> {
  const name = await nameOf(reader, task.completed_by_user_id, task.completed_by_email);
  return name ?? (answerAccountOf(task) === null ? null : UNKNOWN_MEMBER);
}
