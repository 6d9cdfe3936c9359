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

/** What a form is made of. */
export interface AskedTask {
  response_schema: unknown;
  form_definition: unknown;
  payload: unknown;
}

/**
 * The form of a task as Slack has it. The message, its buttons and the modal must all read it here: a button names an option
 * by its index, which must mean the same whenever it is clicked.
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

/** The decision of a form whose options can be given as the whole answer, each by one button. */
export interface DirectChoices {
  readonly node: BoolNode | ChoiceNode;
  /** There is more that could be said, but need not be. */
  readonly hasDetails: boolean;
}

/**
 * null: there is no decision, or it is not enough. That an answer is complete is tried out, since a condition may demand
 * more after one of the options only; and it must hold nothing that nobody has seen in the message.
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

/** What a form would have posted if only this option had been chosen; null where the button is none of its message. */
export function entriesOfChoice(form: Form, index: number): Entries | null {
  const direct = directChoices(form);
  return direct === null || index >= direct.node.options.length ? null : entriesOfOption(direct.node, index);
}

function entriesOfOption(node: BoolNode | ChoiceNode, index: number): Entries {
  const entry = node.kind === "bool" ? String(node.options[index]?.value) : String(index);
  return { [node.name]: [entry], [`${node.name}~of`]: [questionOf(node)] };
}

/** What was decided, in the words of the form; null: the answer holds no decision. */
export function decisionOf(form: Form, response: unknown): string | null {
  const node = decisionIn(planForm(form, {}, response));
  return node?.options.find(({ value }) => isDeepStrictEqual(value, node.value))?.label ?? null;
}

/** The decision, unless nobody can change it. */
function decisionIn({ root, decision }: Plan): BoolNode | ChoiceNode | null {
  const node = decision === null ? undefined : [...nodesOf(root)].find(({ name }) => name === decision);
  return (node?.kind === "bool" || node?.kind === "choice") && !node.readonly ? node : null;
}
