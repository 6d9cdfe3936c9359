import { nodesOf } from "../../../form/plan/nodes.ts";
import { planForm, readForm } from "../../../form/plan/plan.ts";
import type { Form } from "../../../form/plan/plan.ts";
import { TEXT_RULES } from "../../../form/plan/text-rules.ts";

/** What a form is made of. */
export interface AskedTask {
  response_schema: unknown;
  form_definition: unknown;
  payload: unknown;
}

/** The decision of a form, as a mail offers it. */
export interface Choices {
  /** Name of the field, in what a form posts. */
  name: string;
  question: string;
  description: string | null;
  /** In the order in which the form shows them; `?choice=<index>` of a link names one. */
  options: {
    label: string;
    /** What a posted form holds for it under `name`. */
    entry: string;
  }[];
}

/**
 * The form of a task as the mail and its action page have it. Both must read it here: a link names an option by its index,
 * which must mean the same on either side.
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
 * What a mail can ask by links, of the untouched form: a decision that only other answers bring up is none yet, and one that
 * nobody can change is none either. null: there is no decision, which always has 2 to 5 options. (form/plan/plan.ts)
 */
export function choicesOf(form: Form): Choices | null {
  const { root, decision } = planForm(form, {});
  if (decision === null) return null;
  const node = [...nodesOf(root)].find(({ name }) => name === decision);
  if ((node?.kind !== "bool" && node?.kind !== "choice") || node.readonly) return null;
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
