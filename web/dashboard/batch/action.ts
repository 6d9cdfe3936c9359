import { isRaw, own } from "../../../form/plan/hints.ts";
import { isHighRisk } from "../action/asked.ts";
import type { BatchTask } from "./tasks.ts";

/** Whether a task is decided on its own page only: approving a high risk is slow on purpose, and each of several actions is decided. */
export function needsOwnPage({ action, actions }: BatchTask): boolean {
  return actions !== null || (action !== null && isHighRisk(action));
}

/** Returns a task about an action as a batch decides it. Its arguments are its own, so an edit cannot be shared with others. */
export function withoutEdits(task: BatchTask): BatchTask {
  if (task.action === null) return task;
  const { properties, allOf, ...schema } = task.response_schema as {
    properties: { decision: object };
    allOf?: unknown[];
  };
  const { decision } = properties;
  const options = (own(decision, "oneOf") as unknown[]).filter((option) => own(option, "const") !== "edit");
  const { prefill: _, ...hints } = task.form_definition ?? {};
  return {
    ...task,
    form_definition: hints,
    response_schema: {
      ...schema,
      properties: { ...properties, decision: { ...decision, oneOf: options } },
      allOf: (allOf ?? []).filter((part) => !isAboutArguments(own(part, "then"))),
    },
  };
}

function isAboutArguments(part: unknown): boolean {
  const fields = own(part, "properties");
  return isRaw(fields) && (Object.hasOwn(fields, "args") || Object.hasOwn(fields, "patch"));
}
