import { oneLine } from "../../form/plain-text.ts";
import { merge } from "../../form/plan/hints.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { embedSchema, isDraft07 } from "./embed-schema.ts";
import { pointerTree, type PointerTree } from "./pointers.ts";
import { fieldHintsOf, uiSchemaAt } from "./ui-schema.ts";
import { DECISIONS, PATCH_SCHEMA, type Action, type Decision } from "./action.ts";

/** Longest message of a person. */
const MESSAGE_MAX = 10_000;

const LABELS: Record<Decision, string> = { approve: "Approve", edit: "Edit", reject: "Reject", respond: "Respond" };
const TONES: Record<Decision, string> = {
  approve: "positive",
  edit: "neutral",
  reject: "negative",
  respond: "neutral",
};

/** What a task about actions has in place of what a client writes for other tasks. */
export interface ActionForm {
  payload: JsonObject;
  payload_schema: JsonObject;
  response_schema: JsonObject;
  form_definition: JsonObject;
}

/** Returns the form about one action: its payload is the arguments, and the answer is a decision. */
export function formOfAction(action: Action): ActionForm {
  const { args, args_schema, ui_schema } = action;
  const dialect = args_schema["$schema"];
  return {
    payload: args,
    payload_schema: args_schema,
    response_schema: { ...(dialect !== undefined && { $schema: dialect }), ...decisionSchema(action, dialect, "args") },
    form_definition: {
      decision: "/decision",
      prefill: { "/args": "" },
      ui: decisionHints(action),
      ...(ui_schema !== null && { payload: ui_schema }),
    },
  };
}

/** Returns the form about several actions. The answer is a list of decisions in their order. */
export function formOfActions(actions: readonly Action[]): ActionForm {
  const [first, ...others] = actions.map(({ args_schema }) => args_schema["$schema"]);
  const dialect = others.every((other) => other === first) ? first : undefined;
  const head = dialect === undefined ? {} : { $schema: dialect };
  const listOf = (items: JsonObject[]): JsonObject => ({
    type: "array",
    minItems: actions.length,
    maxItems: actions.length,
    ...(isDraft07(head) ? { items, additionalItems: false } : { prefixItems: items, items: false }),
  });
  return {
    payload: { actions: actions.map(({ name, args }) => ({ name, args })) },
    payload_schema: {
      ...head,
      type: "object",
      properties: {
        actions: listOf(
          actions.map(({ name, args_schema, description }, i) => ({
            type: "object",
            title: name,
            ...(description !== null && { description }),
            properties: {
              name: { const: name, title: "Action" },
              args: { title: "Arguments", ...embedSchema(args_schema, dialect, `action-${i}`) },
            },
          })),
        ),
      },
      required: ["actions"],
    },
    response_schema: {
      ...head,
      type: "object",
      properties: {
        decisions: listOf(
          actions.map((action, i) => ({ title: action.name, ...decisionSchema(action, dialect, `action-${i}`) })),
        ),
      },
      required: ["decisions"],
    },
    form_definition: {
      prefill: Object.fromEntries(actions.map((_, i) => [`/decisions/${i}/args`, `/actions/${i}/args`])),
      ui: { decisions: { items: actions.map(decisionHints) } },
      ...(actions.some(({ ui_schema }) => ui_schema !== null) && {
        payload: { actions: { items: actions.map(payloadHints) } },
      }),
    },
  };
}

/** Returns the hints for showing one of several actions. */
function payloadHints({ ui_schema, args }: Action, index: number): JsonObject {
  return ui_schema === null ? {} : { args: uiSchemaAt(ui_schema, args, `/actions/${index}/args`) };
}

/** Returns the schema of an answer about one action, as a person sends it and as it is stored. */
function decisionSchema(action: Action, dialect: unknown, id: string): JsonObject {
  const { name, description, risk, allowed, args_schema, message_required } = action;
  const needsMessage = allowed.filter((one) => one === "respond" || message_required.includes(one));
  const takesMessage = allowed.filter((one) => one !== "approve" || needsMessage.includes(one));
  const branches: JsonObject[] = [];
  if (allowed.includes("edit"))
    branches.push(
      when(["edit"], {
        properties: { args: { title: "Arguments", ...embedSchema(args_schema, dialect, id) } },
        required: ["args"],
      }),
      // The service adds it, so no form asks for it.
      condition({ required: ["patch"] }, { properties: { patch: PATCH_SCHEMA } }),
    );
  const message = { type: "string", title: "Message", maxLength: MESSAGE_MAX };
  const optional = takesMessage.filter((one) => !needsMessage.includes(one));
  if (optional.length > 0) branches.push(when(optional, { properties: { message } }));
  if (needsMessage.length > 0)
    branches.push(
      when(needsMessage, {
        properties: { message: { ...message, minLength: 1, pattern: "\\S" } },
        required: ["message"],
      }),
    );
  const running = allowed.filter((one) => one === "approve" || one === "edit");
  // Not required, because it guards a person against a slip: a program that answers over the API makes none of this kind.
  if (risk === "high" && running.length > 0) {
    // Nobody can type what is not visible.
    const typed = oneLine(name) || "approve";
    branches.push(when(running, { properties: { confirm: { const: typed, title: `Type "${typed}" to approve` } } }));
  }
  return {
    type: "object",
    properties: {
      decision: {
        title: `Run ${name}?`,
        ...(description !== null && { description }),
        oneOf: DECISIONS.filter((one) => allowed.includes(one)).map((one) => ({ const: one, title: LABELS[one] })),
      },
    },
    required: ["decision"],
    ...(branches.length > 0 && { allOf: branches }),
  };
}

function when(decisions: readonly Decision[], then: JsonObject): JsonObject {
  const [first, ...others] = decisions;
  const is = others.length === 0 ? { const: first } : { enum: decisions };
  return condition({ properties: { decision: is }, required: ["decision"] }, then);
}

function condition(holds: JsonObject, then: JsonObject): JsonObject {
  // oxlint-disable-next-line unicorn/no-thenable -- this is the keyword's name
  return { if: holds, then };
}

function decisionHints({ args, allowed, editable, risk, ui_schema }: Action): JsonObject {
  const fixed = editable === null ? null : readonlyOutside(args, pointerTree(editable));
  const shown = ui_schema === null ? null : fieldHintsOf(ui_schema);
  return {
    decision: { "ui:widget": "buttons", "ui:options": { tone: TONES } },
    message: { "ui:widget": "textarea" },
    ...(risk === "high" && { confirm: { "ui:widget": "typed" } }),
    ...(allowed.includes("edit") && (fixed ?? shown) !== null && { args: merge(shown, fixed) }),
  };
}

/** Marks what an edit must leave as it is. Items of an array share their hints, so below an array the service alone judges. */
function readonlyOutside(value: unknown, tree: PointerTree | undefined): JsonObject {
  if (tree === undefined) return { "ui:readonly": true };
  if (tree.isWhole || !isJsonObject(value)) return {};
  return Object.fromEntries(Object.keys(value).map((key) => [key, readonlyOutside(value[key], tree.members.get(key))]));
}
