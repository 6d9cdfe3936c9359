import { invalid, ServiceError } from "../errors.ts";
import { isEqual } from "../../json-schema/equality.ts";
import { parseJson, type JsonObject, type JsonText } from "../lib/json.ts";
import { inferSchema } from "./infer-schema.ts";
import { isPointer } from "./pointers.ts";
import { placesOfRequest, requireUiSchema } from "./ui-schema.ts";
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
  const places = placesOfRequest();
  return actions == null
    ? { all: [withDefaults(action!, "/action", places)], isList: false }
    : { all: actions.map((one, i) => withDefaults(one, `/actions/${i}`, places)), isList: true };
}

function withDefaults(given: ActionRequest, path: string, places: { left: number }): Action {
  const { name, args, args_schema, ui_schema, description, risk } = given;
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
  if (ui_schema != null) requireUiSchema(ui_schema, `${path}/ui_schema`, places);
  return {
    name,
    description: description ?? null,
    allowed,
    editable,
    risk: risk ?? "normal",
    message_required,
    args,
    args_schema: args_schema ?? inferSchema(args),
    ui_schema: ui_schema ?? null,
  };
}

/** Returns an action as a revision asks for it: what the revision leaves out stays. A schema that was inferred is inferred again. */
export function revisedRequest(now: Action | undefined, given: ActionRequest): ActionRequest {
  if (now === undefined) return given;
  const { args_schema, ...others } = now;
  const isInferred = isEqual({ left: Number.POSITIVE_INFINITY }, args_schema, inferSchema(now.args));
  return { ...others, ...(!isInferred && { args_schema }), ...given } as ActionRequest;
}

/**
 * What is stored of one action. The rest of a single action is in the payload and its schema. Earlier releases stored no
 * `ui_schema`.
 */
type Stored = Omit<Action, "args" | "args_schema" | "ui_schema"> & Partial<Pick<Action, "ui_schema">>;
type StoredOfList = Stored & Pick<Action, "args_schema">;

/** The columns of a task that its actions are in. */
export interface StoredActions {
  action: JsonText | null;
  payload: JsonText;
  payload_schema: JsonText;
}

/** Returns the columns that only tasks about actions have. Lists read `listed_action`, which is short. */
export function toStored(actions: Actions | null): { action: JsonText | null; listed_action: JsonText | null } {
  if (actions === null) return { action: null, listed_action: null };
  const { all, isList } = actions;
  const stored = all.map(({ args: _args, args_schema, ...one }) => (isList ? { ...one, args_schema } : one));
  const listed = all.map(({ name, risk }): ListedAction => ({ name, risk }));
  return {
    action: JSON.stringify(isList ? stored : stored[0]),
    listed_action: JSON.stringify(isList ? listed : listed[0]),
  };
}

/** Returns the actions of a stored task; null if it has none. */
export function fromStored({ action, payload, payload_schema }: StoredActions): Actions | null {
  if (action === null) return null;
  const stored = JSON.parse(action) as Stored | StoredOfList[];
  const args = JSON.parse(payload) as JsonObject;
  if (!Array.isArray(stored))
    return {
      all: [actionOf({ ...stored, args_schema: JSON.parse(payload_schema) as JsonObject }, args)],
      isList: false,
    };
  const given = args["actions"] as { args: JsonObject }[];
  return { all: stored.map((one, i) => actionOf(one, given[i]!.args)), isList: true };
}

function actionOf({ ui_schema = null, ...stored }: StoredOfList, args: JsonObject): Action {
  return { ...stored, args, ui_schema };
}

/** Returns the fields of a record that are about actions. */
export function actionFields(stored: StoredActions): { action: Action | null; actions: readonly Action[] | null } {
  const actions = fromStored(stored);
  if (actions === null) return { action: null, actions: null };
  return actions.isList ? { action: null, actions: actions.all } : { action: actions.all[0]!, actions: null };
}

/** Returns the same for a row of a list. @param listed - the column `listed_action` */
export function listedActionFields(listed: JsonText | null): {
  action: ListedAction | null;
  actions: ListedAction[] | null;
} {
  const stored = parseJson<ListedAction | ListedAction[]>(listed);
  return Array.isArray(stored) ? { action: null, actions: stored } : { action: stored, actions: null };
}
