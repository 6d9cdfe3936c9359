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
 * @throws ServiceError NOT_EDITABLE, VALIDATION_FAILED
 */
export function answerToStore(task: StoredActions, response: JsonObject): JsonObject {
  const actions = fromStored(task);
  return actions === null ? response : decide(actions, response);
}

function decide(actions: Actions, response: JsonObject): JsonObject {
  if (!actions.isList) return { ...decideOne(actions.all[0]!, response, "/response") };
  const given = response["decisions"] as JsonObject[];
  return { decisions: given.map((one, i) => decideOne(actions.all[i]!, one, `/response/decisions/${i}`)) };
}

/** @param path - JSON Pointer of the answer in the request */
function decideOne(action: Action, given: JsonObject, path: string): DecisionRecord {
  const decision = given["decision"] as Decision;
  const said = {
    ...(typeof given["message"] === "string" && given["message"].trim() !== "" && { message: given["message"] }),
  };
  const args = isJsonObject(given["args"]) ? given["args"] : null;
  const isChanged = args !== null && !isSame(args, action.args);
  switch (decision) {
    case "approve":
      if (isChanged)
        throw refused(`${path}/args`, "The arguments were changed. Decide `edit` to run the changed ones.");
      return { decision, args: action.args, ...said };
    case "edit":
      if (args === null || !isChanged) return unchanged(action, path, said);
      requireEditable(action, args, `${path}/args`);
      return { decision, args, patch: patchBetween(action.args, args), ...said };
    case "reject":
    case "respond":
      return { decision, ...said };
  }
}

/** An edit that changes nothing is an approval. */
function unchanged(
  { allowed, args, message_required }: Action,
  path: string,
  said: { message?: string },
): DecisionRecord {
  if (!allowed.includes("approve"))
    throw refused(`${path}/args`, "Nothing was changed, and this action cannot be approved as it is.");
  if (message_required.includes("approve") && said.message === undefined)
    throw refused(`${path}/message`, "Nothing was changed, so this is an approval, which needs a message.");
  return { decision: "approve", args, ...said };
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
