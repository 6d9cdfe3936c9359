import type { BoolNode, ChoiceNode, Option } from "./nodes.ts";
import { nodesOf } from "./nodes.ts";
import { planForm } from "./plan.ts";
import type { Form, Plan } from "./plan.ts";
import { isSame } from "./same.ts";

/** Returns the field of the decision, unless it is read-only; null without one. */
export function decisionNode({ root, decision }: Plan): BoolNode | ChoiceNode | null {
  const node = decision === null ? undefined : [...nodesOf(root)].find(({ name }) => name === decision);
  return (node?.kind === "bool" || node?.kind === "choice") && !node.readonly ? node : null;
}

/** Returns the option that an answer chooses; null if the answer has no decision. */
export function optionIn(form: Form, response: unknown): Option | null {
  const node = decisionNode(planForm(form, {}, response));
  return node?.options.find(({ value }) => isSame(value, node.value)) ?? null;
}

/** Returns its label. */
export function chosenOption(form: Form, response: unknown): string | null {
  return optionIn(form, response)?.label ?? null;
}
