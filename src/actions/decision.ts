import { isSame } from "../../form/plan/same.ts";
import { ServiceError, type ErrorDetail } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { fromStored, type Actions, type StoredActions } from "./request.ts";
import { patchBetween } from "./patch.ts";
import { changesOutside, pointerTree } from "./pointers.ts";
import type { Action, Decision, DecisionRecord } from "./action.ts";

/** Places that an error names at most. */
const NAMED_MAX = 20;

/**
 * Returns an answer as it is stored and sent. A decision about an action has the arguments to run, and what an edit changed.
 *
 * @param task - the stored task
 * @param response - fits the response schema of the task
 * @param proposal - the stored answer that is up for approval; null: the actions as they were asked for
 * @param path - JSON Pointer of the answer in the request
 * @throws ServiceError NOT_EDITABLE, VALIDATION_FAILED
 */
export function answerToStore(
  task: StoredActions,
  response: JsonObject,
  proposal: JsonObject | null = null,
  path = "/response",
): JsonObject {
  const actions = fromStored(task);
  return actions === null ? response : decide(actions, response, proposal, path);
}

function decide(actions: Actions, response: JsonObject, proposal: JsonObject | null, path: string): JsonObject {
  const proposed = proposal === null ? [] : decisionsIn(proposal);
  if (!actions.isList) return { ...decideOne(actions.all[0]!, response, path, proposed[0]) };
  const given = response["decisions"] as JsonObject[];
  return { decisions: given.map((one, i) => decideOne(actions.all[i]!, one, `${path}/decisions/${i}`, proposed[i])) };
}

/** Returns the decisions of a stored answer: one for each action. */
export function decisionsIn(answer: JsonObject): DecisionRecord[] {
  return (answer["decisions"] ?? [answer]) as DecisionRecord[];
}

/**
 * @param path - JSON Pointer of the answer in the request
 * @param proposed - what is up for approval; undefined: the action as it was asked for
 */
function decideOne(action: Action, given: JsonObject, path: string, proposed?: DecisionRecord): DecisionRecord {
  const decision = given["decision"] as Decision;
  const said = {
    ...(typeof given["message"] === "string" && given["message"].trim() !== "" && { message: given["message"] }),
  };
  const shown = proposed?.args ?? action.args;
  const args = isJsonObject(given["args"]) ? given["args"] : null;
  const isChanged = args !== null && !isSame(args, shown);
  switch (decision) {
    case "approve":
      if (isChanged)
        throw refused(`${path}/args`, "The arguments were changed. Decide `edit` to run the changed ones.");
      return toRun(action, shown, said);
    case "edit":
      if (args === null || !isChanged) {
        requireMayApprove(action, path, said);
        return toRun(action, shown, said);
      }
      requireEditable(action, args, `${path}/args`);
      return toRun(action, args, said);
    case "reject":
    case "respond":
      return { decision, ...said };
  }
}

/** Returns the decision to run an action with these arguments. */
function toRun(action: Action, args: JsonObject, said: { message?: string }): DecisionRecord {
  if (isSame(args, action.args)) return { decision: "approve", args: action.args, ...said };
  return { decision: "edit", args, patch: patchBetween(action.args, args), ...said };
}

/** An edit that changes nothing is an approval. */
function requireMayApprove({ allowed, message_required }: Action, path: string, said: { message?: string }): void {
  if (!allowed.includes("approve"))
    throw refused(`${path}/args`, "Nothing was changed, and this action cannot be approved as it is.");
  if (message_required.includes("approve") && said.message === undefined)
    throw refused(`${path}/message`, "Nothing was changed, so this is an approval, which needs a message.");
}

function requireEditable({ args: original, editable }: Action, args: JsonObject, path: string): void {
  if (editable === null) return;
  const outside = changesOutside(original, args, pointerTree(editable), NAMED_MAX);
  if (outside.length === 0) return;
  throw new ServiceError("NOT_EDITABLE", {
    details: outside.map((pointer): ErrorDetail => ({
      path: path + pointer,
      message: "This argument cannot be changed.",
      keyword: "editable",
    })),
  });
}

function refused(path: string, message: string): ServiceError {
  return new ServiceError("VALIDATION_FAILED", { message, details: [{ path, message }] });
}
