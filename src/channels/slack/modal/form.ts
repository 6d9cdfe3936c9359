import { isDeepStrictEqual } from "node:util";
import { planForm, readForm } from "../../../../form/plan/plan.ts";
import type { Form, Plan } from "../../../../form/plan/plan.ts";
import { checkPlan } from "../../../../form/plan/check.ts";
import type { Entries } from "../../../../form/plan/entries.ts";
import { nodesOf, questionOf } from "../../../../form/plan/nodes.ts";
import type { BoolNode, ChoiceNode } from "../../../../form/plan/nodes.ts";
import { shownIn } from "../../../../form/plan/post.ts";
import { TEXT_RULES } from "../../../../form/plan/text-rules.ts";
import { isNothing } from "./modal-plan.ts";

/** The documents that define a form. */
export interface AskedTask {
  response_schema: unknown;
  form_definition: unknown;
  payload: unknown;
}

/**
 * Returns the form of a task for Slack. The message, its buttons and the modal must all use it, because a button names an
 * option by its index.
 *
 * @param timeZone - IANA name
 */
export function slackForm(task: AskedTask, timeZone: string, now: Date): Form {
  const { response_schema, form_definition, payload } = task;
  return readForm({
    response_schema,
    form_definition,
    payload,
    channel: "slack",
    time_zone: timeZone,
    now,
    texts: TEXT_RULES,
  });
}

/** A decision whose options are complete answers, so that each can be a button. */
export interface DirectChoices {
  readonly node: BoolNode | ChoiceNode;
  /** The form has further optional fields. */
  readonly hasDetails: boolean;
}

/**
 * Returns the decision if each of its options is a complete answer, else null. Each option is tried, because a condition may
 * demand more after one of them. The answer must not contain a value that the message does not show.
 */
export function directChoices(form: Form): DirectChoices | null {
  const plan = planForm(form, {});
  const node = decisionIn(plan);
  if (node === null) return null;
  const others = [...nodesOf(plan.root)].filter(
    (other) => other !== node && other !== plan.root && !other.hidden && other.kind !== "const",
  );
  if (others.some((other) => !isNothing(other.value))) return null;
  const isEnough = node.options.every((_, index) => {
    const answered = planForm(form, entriesOfOption(node, index));
    return shownIn(answered) === shownIn(plan) && checkPlan(form, answered).length === 0;
  });
  return isEnough ? { node, hasDetails: others.length > 0 } : null;
}

/** Returns the entries of a form with only this option chosen; null if the form has no such button. */
export function entriesOfChoice(form: Form, index: number): Entries | null {
  const direct = directChoices(form);
  return direct === null || index >= direct.node.options.length ? null : entriesOfOption(direct.node, index);
}

function entriesOfOption(node: BoolNode | ChoiceNode, index: number): Entries {
  const entry = node.kind === "bool" ? String(node.options[index]?.value) : String(index);
  return { [node.name]: [entry], [`${node.name}~of`]: [questionOf(node)] };
}

/** Returns the label of the chosen option; null if the answer has no decision. */
export function decisionOf(form: Form, response: unknown): string | null {
  const node = decisionIn(planForm(form, {}, response));
  return node?.options.find(({ value }) => isDeepStrictEqual(value, node.value))?.label ?? null;
}

/** Returns the decision, unless it is read-only. */
function decisionIn({ root, decision }: Plan): BoolNode | ChoiceNode | null {
  const node = decision === null ? undefined : [...nodesOf(root)].find(({ name }) => name === decision);
  return (node?.kind === "bool" || node?.kind === "choice") && !node.readonly ? node : null;
}
