import { isSame } from "../../form/plan/same.ts";
import { readForm, valueAt } from "../../form/plan/plan.ts";
import { decisionsIn } from "../actions/decision.ts";
import type { TaskDocumentsRow } from "../db/schema.ts";
import { parseJson, type JsonObject } from "../lib/json.ts";

/** Characters of the payload and the form. Larger ones are not read while a task is completed. */
const DOCUMENTS_MAX = 256 * 1024;

/**
 * Returns whether an answer changes what the task proposed: arguments of an action, or fields that the form fills in from the
 * payload. null if nothing was proposed, no action is to run, or the task is too large.
 *
 * @param response - as it is stored
 */
export function isEditedIn(
  task: Pick<TaskDocumentsRow, "action" | "payload" | "response_schema" | "form_definition">,
  response: JsonObject,
): boolean | null {
  if (task.action !== null) {
    const decided = new Set(decisionsIn(response).map(({ decision }) => decision));
    if (decided.has("edit")) return true;
    return decided.has("approve") ? false : null;
  }
  const { payload, form_definition, response_schema } = task;
  if (form_definition?.includes('"prefill"') !== true) return null;
  if (payload.length + form_definition.length + response_schema.length > DOCUMENTS_MAX) return null;
  const { hints } = readForm({
    response_schema: JSON.parse(response_schema),
    form_definition: parseJson(form_definition),
    channel: "dashboard",
    time_zone: "UTC",
    now: new Date(0),
  });
  const given = JSON.parse(payload) as JsonObject;
  const proposed = [...hints.prefill]
    .map(([to, from]) => ({ before: valueAt(given, from), after: valueAt(response, to) }))
    .filter(({ before }) => before !== undefined);
  if (proposed.length === 0) return null;
  return proposed.some(({ before, after }) => (after === undefined ? !isNothing(before) : !isSame(before, after)));
}

/** An unticked box and an empty text are left out of an answer. */
function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === false || (typeof value === "string" && value.trim() === "");
}
