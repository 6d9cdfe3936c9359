import { invalid, ServiceError } from "../errors.ts";
import { parseJson, type JsonObject, type JsonText } from "../lib/json.ts";
import { inferSchema } from "./infer-schema.ts";
import { isPointer } from "./pointers.ts";
import type { Action, ListedAction } from "./action.ts";
import type { ActionRequest } from "./schema.ts";

/** The actions that a task asks about. */
export interface Actions {
  all: readonly Action[];
  /** The request had `actions`, not `action`. */
  isList: boolean;
}

/** Fields that a client writes for a task that is not about actions. */
export const OWN_FIELDS = ["payload", "payload_schema", "response_schema", "form_definition"] as const;

/**
 * Returns the actions of a request, with defaults; null if it has none.
 *
 * @throws ServiceError ACTION_AND_SCHEMAS, VALIDATION_FAILED
 */
export function readActions(body: {
  action?: ActionRequest | null;
  actions?: readonly ActionRequest[] | null;
}): Actions | null {
  const { action, actions } = body;
  if (action == null && actions == null) return null;
  const own = OWN_FIELDS.filter((name) => (body as JsonObject)[name] != null);
  if (own.length > 0)
    throw new ServiceError("ACTION_AND_SCHEMAS", {
      details: own.map((name) => ({ path: `/${name}`, message: "Leave this out: it is made from the action." })),
    });
  if (action != null && actions != null) throw invalid("/actions", "Send either `action` or `actions`.");
  return actions == null
    ? { all: [withDefaults(action!, "/action")], isList: false }
    : { all: actions.map((one, i) => withDefaults(one, `/actions/${i}`)), isList: true };
}

function withDefaults(given: ActionRequest, path: string): Action {
  const { name, args, args_schema, description, risk } = given;
  const allowed = given.allowed ?? ["approve", "reject"];
  const message_required = given.message_required ?? [];
  for (const decision of message_required)
    if (!allowed.includes(decision))
      throw invalid(`${path}/message_required`, `\`${decision}\` is not in \`allowed\`.`);
  const editable = given.editable ?? null;
  if (editable !== null && !allowed.includes("edit")) throw invalid(`${path}/editable`, "`edit` is not in `allowed`.");
  for (const [i, pointer] of (editable ?? []).entries())
    if (!isPointer(pointer))
      throw invalid(`${path}/editable/${i}`, 'Must be a JSON Pointer, such as "/amount"; "" is all of the arguments.');
  return {
    name,
    description: description ?? null,
    allowed,
    editable,
    risk: risk ?? "normal",
    message_required,
    args,
    args_schema: args_schema ?? inferSchema(args),
  };
}

/** What is stored of actions, as JSON. The rest of a single action is in the payload and its schema. */
type Stored = ListedAction | (ListedAction & Pick<Action, "args_schema">)[];

export function toStored({ all, isList }: Actions): JsonText {
  const stored: Stored = isList
    ? all.map((one) => ({ ...toListedAction(one), args_schema: one.args_schema }))
    : toListedAction(all[0]!);
  return JSON.stringify(stored);
}

/** The columns of a task that its actions are in. */
export interface StoredActions {
  action: JsonText | null;
  payload: JsonText;
  payload_schema: JsonText;
}

/** Returns the actions of a stored task; null if it has none. */
export function fromStored({ action, payload, payload_schema }: StoredActions): Actions | null {
  if (action === null) return null;
  const stored = JSON.parse(action) as Stored;
  const args = JSON.parse(payload) as JsonObject;
  if (!Array.isArray(stored))
    return { all: [{ ...stored, args, args_schema: JSON.parse(payload_schema) as JsonObject }], isList: false };
  const given = args["actions"] as { args: JsonObject }[];
  return { all: stored.map((one, i) => ({ ...one, args: given[i]!.args })), isList: true };
}

/** Returns the fields of a record that are about actions. */
export function actionFields(stored: StoredActions): { action: Action | null; actions: readonly Action[] | null } {
  const actions = fromStored(stored);
  return { action: actions?.isList === false ? actions.all[0]! : null, actions: actions?.isList ? actions.all : null };
}

/** Returns the same for a row of a list, without arguments. @param action - as it is stored */
export function listedActionFields(action: JsonText | null): {
  action: ListedAction | null;
  actions: ListedAction[] | null;
} {
  const stored = parseJson<Stored>(action);
  return Array.isArray(stored)
    ? { action: null, actions: stored.map(toListedAction) }
    : { action: stored, actions: null };
}

function toListedAction({ name, description, allowed, editable, risk, message_required }: ListedAction): ListedAction {
  return { name, description, allowed, editable, risk, message_required };
}
