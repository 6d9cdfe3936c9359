import type { Static } from "typebox";
import { StepRequest, STEPS_MAX, StoredStep } from "../escalation/schema.ts";
import { Nullable, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";

/** Steps that tasks choose by a name. (beyond the spec: In time) */
export const TemplateRecord = Type.Object(
  {
    name: Type.String({ examples: ["standard"] }),
    project: Type.String({ description: "The project whose tasks can choose it." }),
    steps: Type.Array(StoredStep, { description: "In order." }),
    is_built_in: Type.Boolean({ description: "Every project has it until an operator stores one of the same name." }),
    updated_at: Nullable(Time("When it was last changed; null if it is built in.")),
  },
  { $id: "EscalationTemplate" },
);
export type TemplateRecord = Static<typeof TemplateRecord>;

export const SetTemplateBody = Type.Object(
  {
    steps: Type.Array(StepRequest, { minItems: 1, maxItems: STEPS_MAX, description: "As in `escalation` of a task." }),
  },
  {
    $id: "SetEscalationTemplate",
    additionalProperties: true,
    examples: [
      {
        steps: [
          { after: 7200, calendar: "office", do: "remind" },
          { after: { fraction: 0.75 }, do: "offer", to: { pool: "finance" } },
        ],
      },
    ],
  },
);
export type SetTemplateBody = Static<typeof SetTemplateBody>;

export const TemplateParams = Type.Object({
  name: Type.String({ description: "1 to 64 of `a-z`, `0-9`, `-` and `_`. Unique in its project." }),
});
