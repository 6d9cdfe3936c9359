import { keepUntouched } from "../../form/plan/edits.ts";
import { readForm } from "../../form/plan/plan.ts";
import { parseJson, type JsonText } from "../lib/json.ts";

/** The columns of a task that its form is made from. */
interface FormColumns {
  action: JsonText | null;
  payload: JsonText;
  response_schema: JsonText;
  form_definition: JsonText | null;
}

/**
 * Returns the value of a form as the answer to send. A form shows only what the schema names, so an edit keeps the other
 * arguments, and those that were left as they were. For a task without an action, that is the value itself.
 */
export function answerOfForm(task: FormColumns, value: unknown): unknown {
  if (task.action === null) return value;
  const form = readForm({
    response_schema: parseJson(task.response_schema),
    form_definition: parseJson(task.form_definition),
    payload: parseJson(task.payload),
    time_zone: "UTC",
    now: new Date(0),
  });
  return keepUntouched(form, value, form.hints.prefill);
}
