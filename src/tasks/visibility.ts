import { isOwnOf } from "../people/agent-caller.ts";
import { isOperator, type Caller } from "../people/caller.ts";
import type { Task } from "./store.ts";

/** Returns whether the caller sees `notify`, `callback_url` and `verifier_config` of a task: operators, and its agent. */
export function seesRouting(caller: Caller, task: Pick<Task, "asked_by_id">): boolean {
  return isOperator(caller) || (caller.kind === "agent" && isOwnOf(caller, task));
}
