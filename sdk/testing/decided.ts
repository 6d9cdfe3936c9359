import type { Decision } from "../approval.ts";
import type { JsonObject } from "../json.ts";
import type { TaskRecord } from "../shapes.ts";
import { TestMistake } from "./mistake.ts";

export type ActionRecord = NonNullable<TaskRecord["action"]>;

/** Returns the approval of all actions of a task; undefined if it is not about actions. */
export function approvalOf(task: TaskRecord): JsonObject | undefined {
  const all = task.action === null ? task.actions : [task.action];
  return all === null
    ? undefined
    : decided(task, all, ({ message_required }) => ({
        decision: "approve",
        ...(message_required.includes("approve") && { message: "ok" }),
      }));
}

/** @throws TestMistake */
export function actionsOf(task: TaskRecord, rule: string): readonly ActionRecord[] {
  const all = task.action === null ? task.actions : [task.action];
  if (all === null)
    throw new TestMistake(`${rule} decides about actions, and "${task.task}" asks about none: use answer(...).`);
  return all;
}

type Given = Omit<Partial<Decision>, "args"> & { args?: JsonObject };

export function decided(
  { action }: TaskRecord,
  all: readonly ActionRecord[],
  decide: (action: ActionRecord) => Given,
): JsonObject {
  const decisions = all.map(decide);
  return action === null ? { decisions } : { ...decisions[0] };
}
