import type { Static } from "typebox";
import { Json, Nullable, Text } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import { DECISIONS, RISKS, type Decision } from "./action.ts";

/** Actions that one task may ask about at once. */
export const ACTIONS_MIN = 2;
export const ACTIONS_MAX = 50;
/** Pointers in `editable`. Each edit is compared with each of them. */
const EDITABLE_MAX = 100;

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: "string", enum: [...values], description });

const DecisionName = Type.Unsafe<Decision>({ type: "string", enum: [...DECISIONS] });
const decisionList = (description: string, minItems: number) =>
  Type.Array(DecisionName, { minItems, maxItems: DECISIONS.length, uniqueItems: true, description });

/** An action in a request: what an agent wants to do. (beyond the spec: Actions) */
export const ActionRequest = Type.Object(
  {
    name: Text({ minLength: 1, maxLength: 200, description: "What would run, for example the name of a tool." }),
    args: Json("The arguments. They must match `args_schema`."),
    args_schema: Type.Optional(
      Nullable(Json("JSON Schema (draft-07 or 2020-12) of `args`. The form for edits is built from it.")),
    ),
    ui_schema: Type.Optional(
      Nullable(
        Json(
          "uiSchema of `args`: how arguments are shown and edited. It takes the hints of `payload` in a `form_definition`.",
        ),
      ),
    ),
    description: Type.Optional(Nullable(Text({ maxLength: 10_000, description: "What it does, for a person." }))),
    allowed: Type.Optional(Nullable(decisionList("What a person may decide. Default: `approve` and `reject`.", 1))),
    editable: Type.Optional(
      Nullable(
        Type.Array(Text({ maxLength: 1000, description: "A JSON Pointer." }), {
          minItems: 1,
          maxItems: EDITABLE_MAX,
          description: "JSON Pointers into `args` that an edit may change. Default: all.",
        }),
      ),
    ),
    risk: Type.Optional(Nullable(oneOf(RISKS, "`high` makes approving slow on purpose. Default: `normal`."))),
    message_required: Type.Optional(Nullable(decisionList("Decisions that need a message. `respond` always does.", 0))),
  },
  { additionalProperties: true },
);
export type ActionRequest = Static<typeof ActionRequest>;

const listed = {
  name: Type.String({ description: "What would run." }),
  risk: oneOf(RISKS, "`high`: approving is slow on purpose."),
};

/** An action in a row of a list. */
export const ListedAction = Type.Object(listed);

/** An action in a task record. */
export const Action = Type.Object({
  ...listed,
  description: Nullable(Type.String({ description: "What it does." })),
  allowed: Type.Array(DecisionName, { description: "What a person may decide." }),
  editable: Nullable(
    Type.Array(Type.String(), {
      description: "JSON Pointers that an edit may change; null: all, or none without `edit`.",
    }),
  ),
  message_required: Type.Array(DecisionName, { description: "Decisions that need a message." }),
  args: Json("The arguments."),
  args_schema: Json("JSON Schema of `args`."),
  ui_schema: Nullable(Json("uiSchema of `args`: how arguments are shown and edited.")),
});
