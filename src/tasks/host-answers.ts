import { listedActionFields } from "../actions/request.ts";
import type { Reader } from "../db/database.ts";
import { stepsOf } from "../escalation/ladder.ts";
import { ServiceError } from "../errors.ts";
import { parseJson, type JsonText } from "../lib/json.ts";
import { isOwnOf, type AgentCaller } from "../people/agent-caller.ts";
import type { Caller } from "../people/caller.ts";
import { listCandidates } from "./candidates.ts";
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
export async function whyNotByHost(reader: Reader, task: TaskWithDocuments): Promise<ServiceError | null> {
  if (task.approvals !== null) return new ServiceError("NEEDS_A_PERSON");
  const why = (await isForPeople(reader, task))
    ? "This task, or a step of its escalation, is for particular people. One of them has to answer."
    : task.redact_payload
      ? "This task is confidential. It is answered on its own page."
      : isOfHighRisk(task.listed_action)
        ? "The risk of this action is high. It is decided on its own page."
        : null;
  return why === null ? null : new ServiceError("HOST_MAY_NOT_ANSWER", { message: why });
}

/** Returns whether the host of the agent that reads a task may answer it now; undefined for other callers. */
export async function hostMayAnswer(
  reader: Reader,
  task: TaskWithDocuments,
  caller: Caller,
): Promise<boolean | undefined> {
  if (!isHostOf(caller, task)) return undefined;
  return !isTerminal(task.status) && (await whyNotByHost(reader, task)) === null;
}

/** Returns whether a task names people, now or in a later step. */
async function isForPeople(reader: Reader, task: TaskWithDocuments): Promise<boolean> {
  if (task.assigned_to_user_id !== null || task.assigned_to_email !== null || task.assign_to !== null) return true;
  if ((parseJson<string[]>(task.notify) ?? []).length > 0) return true;
  if (stepsOf(task.escalation).some(({ to }) => to !== null)) return true;
  return (await listCandidates(reader, task.id)).length > 0;
}

function isOfHighRisk(listed: JsonText | null): boolean {
  const { action, actions } = listedActionFields(listed);
  return (actions ?? [action]).some((one) => one?.risk === "high");
}
