import { decisionNode } from "../../../form/plan/chosen.ts";
import { planForm, readForm } from "../../../form/plan/plan.ts";
import type { Form } from "../../../form/plan/plan.ts";
import { TEXT_RULES } from "../../../form/plan/text-rules.ts";

/** The documents that define a form. */
export interface AskedTask {
  response_schema: unknown;
  form_definition: unknown;
  payload: unknown;
}

/** The decision of a form, as an email offers it. */
export interface Choices {
  /** Name of the field, in what a form posts. */
  name: string;
  question: string;
  description: string | null;
  /** In the order in which the form shows them; `?choice=<index>` of a link names one. */
  options: {
    label: string;
    /** The entry of a posted form under `name`. */
    entry: string;
  }[];
}

/**
 * Returns the form of a task for emails and their pages. Both must use it, because a link names an option by its index.
 *
 * @param timeZone - IANA name
 */
export function formForMail(task: AskedTask, timeZone: string, now: Date): Form {
  const { response_schema, form_definition, payload } = task;
  return readForm({
    response_schema,
    form_definition,
    payload,
    channel: "email",
    time_zone: timeZone,
    now,
    texts: TEXT_RULES,
  });
}

/**
 * Returns the decision of the empty form that an email can offer as links, or null. A decision that depends on other answers
 * or is read-only does not count. It has 2 to 5 options. (form/plan/plan.ts)
 */
export function choicesOf(form: Form): Choices | null {
  const node = decisionNode(planForm(form, {}));
  if (node === null) return null;
  const { kind, name, title, description, options } = node;
  return {
    name,
    question: title,
    description,
    options: options.map(({ label, value }, index) => ({
      label,
      entry: kind === "bool" ? String(value) : String(index),
    })),
  };
}
