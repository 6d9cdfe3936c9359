import { t } from "../../../languages/text.ts";
import { agentOf } from "../../../form/asker.ts";
import type { Entries } from "../../../form/plan/entries.ts";
import { own } from "../../../form/plan/hints.ts";
import { isSame } from "../../../form/plan/same.ts";
import type { Task } from "../api.ts";

export type Action = NonNullable<Task["action"]>;
export type Decision = Action["allowed"][number];

/** An action of a task, with its place in the answer. */
export interface AskedAction {
  readonly action: Action;
  /** JSON Pointer of its decision in the answer. Its entries have names that begin with it. */
  readonly at: string;
  /** The action as the agent asked for it, if someone has changed its arguments since; null: nobody has. */
  readonly before: Action | null;
}

/** Returns the actions that a task asks about, in their order; null if it asks something else. */
export function actionsOf({ action, actions }: Pick<Task, "action" | "actions">): readonly AskedAction[] | null {
  if (action !== null) return [{ action, at: "", before: null }];
  return actions?.map((one, i) => ({ action: one, at: `/decisions/${i}`, before: null })) ?? null;
}

/** Returns the same with the arguments that are up for decision now. Where several people approve, one may have changed them. */
export function proposedOf(
  task: Pick<Task, "action" | "actions" | "payload" | "approvals">,
): readonly AskedAction[] | null {
  const asked = actionsOf(task);
  if (asked === null || (task.approvals?.round ?? 1) === 1) return asked;
  return asked.map((one, i) => {
    const now = task.action === null ? own((task.payload["actions"] as unknown[])[i], "args") : task.payload;
    if (isSame(now, one.action.args)) return one;
    return { ...one, action: { ...one.action, args: now as Action["args"] }, before: one.action };
  });
}

/** Returns entries that bring up every field which an answer can have, to find out which of them are secret. */
export function entriesOfEdits(asked: readonly AskedAction[]): Entries {
  return Object.fromEntries(
    asked.flatMap(({ action, at }) => (action.allowed.includes("edit") ? [chosen(action, at, "edit")] : [])),
  );
}

/** The order of the decisions in an answer's schema. */
const ORDER: readonly Decision[] = ["approve", "edit", "reject", "respond"];

/** Returns the decisions that a person may choose from, in the order of the form. */
export function allowedIn({ allowed }: Pick<Action, "allowed">): readonly Decision[] {
  return ORDER.filter((one) => allowed.includes(one));
}

/** Returns the entry that chooses a decision. */
export function chosen(action: Action, at: string, decision: Decision): readonly [string, readonly string[]] {
  return [`${at}/decision`, [String(allowedIn(action).indexOf(decision))]];
}

export function isHighRisk({ risk }: Pick<Action, "risk">): boolean {
  return risk === "high";
}

type Listed = Pick<Task, "asked_by"> & {
  readonly action: Pick<Action, "name" | "risk"> | null;
  readonly actions: readonly Pick<Action, "name" | "risk">[] | null;
};

/** Returns the names of the actions of a task in one line, and whether one of them has a high risk; null without actions. */
export function summaryOf({ action, actions }: Listed): { name: string; isHigh: boolean } | null {
  const all = action === null ? (actions ?? []) : [action];
  const [first] = all;
  if (first === undefined) return null;
  const more = all.length - 1;
  return {
    name: more === 0 ? first.name : t("{action} and {count} more", { action: first.name, count: more }),
    isHigh: all.some(isHighRisk),
  };
}

/** Returns who wants to run an action. */
export function wisherOf(task: Pick<Task, "asked_by">): string {
  return agentOf(task) ?? (task.asked_by.kind === "user" ? task.asked_by.name : t("A program"));
}
