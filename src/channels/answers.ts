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
 * Reads the value of a form as the API reads a `response`. The same limits apply.
 * @throws ServiceError MALFORMED_REQUEST, VALIDATION_FAILED
 */
export function responseOf(value: unknown): JsonObject {
  const response = parseJsonBody(Buffer.from(JSON.stringify(value ?? null)));
  if (!isJsonObject(response))
    throw new ServiceError("VALIDATION_FAILED", { message: "The answer must be an object." });
  return response;
}

/** Whether an error names values of the answer, so that each can be shown at its field. */
export function isAboutFields({ code }: ServiceError): boolean {
  return code === "VALIDATION_FAILED" || code === "MALFORMED_REQUEST" || code === "NOT_EDITABLE";
}

/** Returns the errors of an answer by form field; empty if they concern no field. */
export function fieldErrorsOf(plan: Plan, { details = [] }: ServiceError): readonly FieldError[] {
  const findings = details.map(({ path, keyword = "" }) => ({ path: path.replace(/^\/response/, ""), keyword }));
  return explain(plan, findings);
}

/** Returns the name of the person who answered, or of the agent that answered in a person's name; null if unknown. */
export async function answererOf(reader: Reader, task: Task): Promise<string | null> {
  if (task.decided_by_kind === "agent") return task.decided_by_name;
  const name = await nameOf(reader, task.completed_by_user_id, task.completed_by_email);
  return name ?? (answerAccountOf(task) === null ? null : UNKNOWN_MEMBER);
}
