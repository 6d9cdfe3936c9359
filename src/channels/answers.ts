import { t } from "../../languages/text.ts";
import type { Reader } from "../db/database.ts";
import { answerAccountOf } from "../people/accounts.ts";
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

/** Returns whether an error is about the answer, so that its person can correct it. */
export function isAboutAnswer({ code }: ServiceError): boolean {
  return code === "VALIDATION_FAILED" || code === "MALFORMED_REQUEST" || code === "NOT_EDITABLE";
}

/** Returns the errors of an answer by form field; empty if they concern no field. */
export function fieldErrorsOf(plan: Plan, { details = [] }: ServiceError): readonly FieldError[] {
  return details.flatMap(({ path, keyword, message }) => {
    const errors = explain(plan, [{ path: path.replace(/^\/response/, ""), keyword: keyword ?? "" }]);
    // Only the service has words for a rule that is not in the schema.
    return keyword === undefined || keyword === "editable" ? errors.map((error) => ({ ...error, message })) : errors;
  });
}

/** Returns the name of the person who answered, or of the agent that answered in a person's name; null if unknown. */
export async function answererOf(reader: Reader, task: Task): Promise<string | null> {
  if (task.decided_by_kind === "agent") return task.decided_by_name;
  if (task.decided_by_kind === "host")
    return t("{agent} (the person at its host)", { agent: task.decided_by_name ?? "" });
  const name = await nameOf(reader, task.completed_by_user_id, task.completed_by_email);
  return name ?? (answerAccountOf(task) === null ? null : t("a Slack member"));
}
