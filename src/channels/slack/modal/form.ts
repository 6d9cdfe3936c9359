import { decisionNode } from "../../../../form/plan/chosen.ts";
import { planForm, readForm } from "../../../../form/plan/plan.ts";
import type { Form, Plan } from "../../../../form/plan/plan.ts";
import { checkPlan } from "../../../../form/plan/check.ts";
import type { Entries } from "../../../../form/plan/entries.ts";
import { nodesOf, questionOf } from "../../../../form/plan/nodes.ts";
import type { BoolNode, ChoiceNode, FormNode } from "../../../../form/plan/nodes.ts";
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

/** A decision whose options can be buttons. */
export interface Choices {
  readonly node: BoolNode | ChoiceNode;
  /** For each option: it is a complete answer, so that its button can send it. Another one opens the modal. */
  readonly isComplete: readonly boolean[];
  /** The form has further optional fields. */
  readonly hasDetails: boolean;
}

/**
 * Returns the decision if each of its options is a complete answer, else null. Each option is tried, because a condition may
 * demand more after one of them. The answer must not contain a value that the message does not show.
 */
export function directChoices(form: Form): Choices | null {
  const choices = choicesOf(form, (before, after) => shownIn(before) === shownIn(after));
  return choices?.isComplete.every(Boolean) === true ? choices : null;
}

/**
 * Returns the decision about an action; null if it asks about several. An option that may have a message is complete without
 * one.
 */
export function actionChoices(form: Form): Choices | null {
  return choicesOf(form, (_, after) => othersIn(after).every(({ value }) => isNothing(value)));
}

/** @param mayEnd - whether an option may be an answer by itself, by the plans without it and with it */
function choicesOf(form: Form, mayEnd: (before: Plan, after: Plan) => boolean): Choices | null {
  const plan = planForm(form, {});
  const node = decisionNode(plan);
  if (node === null || othersIn(plan).some(({ value }) => !isNothing(value))) return null;
  const answered = node.options.map((_, index) => planForm(form, entriesOfOption(node, index)));
  const isComplete = answered.map((after) => mayEnd(plan, after) && checkPlan(form, after).length === 0);
  return { node, isComplete, hasDetails: answered.some((after, i) => isComplete[i] && othersIn(after).length > 0) };
}

/** Returns the fields that a person can fill in beside the decision. */
function othersIn(plan: Plan): FormNode[] {
  return [...nodesOf(plan.root)].filter(
    (node) => node !== plan.root && node.name !== plan.decision && !node.hidden && node.kind !== "const",
  );
}

/** Returns the entries of a form with only this option chosen; null if no button of the message sends that. */
export function entriesOfChoice(form: Form, index: number, isAction: boolean): Entries | null {
  const choices = isAction ? actionChoices(form) : directChoices(form);
  return choices?.isComplete[index] === true ? entriesOfOption(choices.node, index) : null;
}

/** Returns the entries with which the modal of a button opens: only this option is chosen, if there is one. */
export function entriesOfOpened(form: Form, index: number | null): Entries {
  const node = index === null ? null : decisionNode(planForm(form, {}));
  return node === null || index === null || index >= node.options.length ? {} : entriesOfOption(node, index);
}

function entriesOfOption(node: BoolNode | ChoiceNode, index: number): Entries {
  const entry = node.kind === "bool" ? String(node.options[index]?.value) : String(index);
  return { [node.name]: [entry], [`${node.name}~of`]: [questionOf(node)] };
}
