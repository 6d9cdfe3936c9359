import { isOperator, type Caller } from "../people/caller.ts";

/** Returns whether the caller sees `notify`, `callback_url` and `verifier_config` of a task. */
export function seesRouting(caller: Caller): boolean {
  return isOperator(caller);
}
