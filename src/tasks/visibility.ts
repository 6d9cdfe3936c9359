import { isOwnOf } from "../people/agent-caller.ts";
import { isOperatorOf, type Caller } from "../people/caller.ts";
import type { Task } from "./store.ts";

/** Returns whether the caller sees `notify`, `callback_url` and `verifier_config` of a task: operators, and its agent. */
export function seesRouting(caller: Caller, task: Pick<Task, "project" | "asked_by_id">): boolean {
  return isOperatorOf(caller, task.project) || (caller.kind === "agent" && isOwnOf(caller, task));
}
