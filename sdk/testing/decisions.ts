import { actionsOf, decided, type ActionRecord } from "./decided.ts";
import { TestMistake } from "./mistake.ts";
import { answer, type Answering, type Behaviour } from "./rules.ts";

/**
 * Changes arguments of an action. Of several actions, those that have all of these arguments are edited, and the others approved.
 *
 * @param changes - replace arguments of the same name
 */
export function edits(changes: object, options: Answering = {}): Behaviour {
  const names = Object.keys(changes);
  const isMeant = ({ args }: ActionRecord) => names.every((name) => Object.hasOwn(args, name));
  return answer((task) => {
    const all = actionsOf(task, "edits()");
    if (task.actions !== null && !all.some(isMeant))
      throw new TestMistake(
        `No action of "${task.task}" has the arguments ${names.join(", ")}, which edits() changes.`,
      );
    return decided(task, all, (action) =>
      task.action !== null || isMeant(action)
        ? { decision: "edit", args: { ...action.args, ...changes } }
        : { decision: "approve" },
    );
  }, options);
}

/** Rejects an action, or all of several. */
export function rejects(message?: string, options: Answering = {}): Behaviour {
  const said = message === undefined ? {} : { message };
  return answer(
    (task) => decided(task, actionsOf(task, "rejects()"), () => ({ decision: "reject", ...said })),
    options,
  );
}

/** Answers an action, or all of several, with words. */
export function responds(message: string, options: Answering = {}): Behaviour {
  return answer(
    (task) => decided(task, actionsOf(task, "responds()"), () => ({ decision: "respond", message })),
    options,
  );
}
