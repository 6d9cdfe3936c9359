import { listedActionFields } from "../actions/request.ts";
import { stepsOf } from "../escalation/ladder.ts";
import { ServiceError } from "../errors.ts";
import { parseJson, type JsonText } from "../lib/json.ts";
import { isOwnOf, type AgentCaller } from "../people/agent-caller.ts";
import type { Caller } from "../people/caller.ts";
import { isTerminal } from "./lifecycle.ts";
import type { Task, TaskWithDocuments } from "./store.ts";

/**
 * Answers that the host of an agent hands in: those of the person who uses it, for whom nothing but the host vouches. Operators
 * allow it for an agent (`host_answers`). (beyond: MCP as it is now)
 */

/** Returns whether a caller is the agent of this task, and its host may hand in answers. */
export function isHostOf(caller: Caller, task: Pick<Task, "asked_by_id">): caller is AgentCaller {
  return caller.kind === "agent" && caller.host_answers && isOwnOf(caller, task);
}

/** Returns why the host of its agent may not answer a task; null if it may. */
export function whyNotByHost(task: TaskWithDocuments): ServiceError | null {
  if (task.approvals !== null) return new ServiceError("NEEDS_A_PERSON");
  const why = isForPeople(task)
    ? "This task, or a step of its escalation, is for particular people. One of them has to answer."
    : task.redact_payload
      ? "This task is confidential. It is answered on its own page."
      : isOfHighRisk(task.listed_action)
        ? "The risk of this action is high. It is decided on its own page."
        : null;
  return why === null ? null : new ServiceError("HOST_MAY_NOT_ANSWER", { message: why });
}

/** Returns whether the host of the agent that reads a task may answer it now; undefined for other callers. */
export function hostMayAnswer(task: TaskWithDocuments, caller: Caller): boolean | undefined {
  if (!isHostOf(caller, task)) return undefined;
  return !isTerminal(task.status) && whyNotByHost(task) === null;
}

/** Returns whether a task names people, now or in a step. All who it is offered to come from one of these. */
function isForPeople(task: TaskWithDocuments): boolean {
  if (task.assigned_to_user_id !== null || task.assigned_to_email !== null || task.assign_to !== null) return true;
  if ((parseJson<string[]>(task.notify) ?? []).length > 0) return true;
  return stepsOf(task.escalation).some(({ to }) => to !== null);
}

function isOfHighRisk(listed: JsonText | null): boolean {
  const { action, actions } = listedActionFields(listed);
  return (actions ?? [action]).some((one) => one?.risk === "high");
}
