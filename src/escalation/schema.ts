import type { Static } from "typebox";
import { Json, Nullable, Text, Time } from "../http/schema.ts";
import type { JsonObject } from "../lib/json.ts";
import { Type } from "../lib/type.ts";

/** Steps of one ladder. */
export const STEPS_MAX = 10;
/** The longest time that a task may stay open, in seconds. */
const AFTER_MAX = 2_592_000;
const NAME_MAX = 64;

/**
 * What a step does.
 *
 * - remind: tells those again who were told and have not answered
 * - notify: tells more people or rooms
 * - offer: offers the task to more people
 * - assign: gives the task to one person
 * - raise: marks it as urgent
 */
export const STEP_KINDS = ["remind", "notify", "offer", "assign", "raise"] as const;
export type StepKind = (typeof STEP_KINDS)[number];

/** When a step is due: seconds after the creation, or a share of the time until the deadline. */
export type After = number | { fraction: number };

const After = Type.Unsafe<After>({
  type: ["integer", "object"],
  minimum: 1,
  maximum: AFTER_MAX,
  properties: {
    fraction: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1, description: "For example 0.5." },
  },
  required: ["fraction"],
  description:
    "Seconds after the creation, or `{fraction}` of the time from the creation to the deadline. It must be before the deadline.",
});

const StepKind = Type.Unsafe<StepKind>({
  type: "string",
  enum: [...STEP_KINDS],
  description:
    "`remind`: tells those again who were told and have not answered. `notify`: tells more people or rooms. `offer`: offers the task to more people. `assign`: gives it to one person. `raise`: marks it as urgent.",
});

/** Who a step concerns: entries of `notify`, or an `assign_to`. */
export type StepTarget = string[] | JsonObject;

const calendar = (description: string) => Text({ minLength: 1, maxLength: NAME_MAX, description });

/** One step, in a request. (beyond the spec: In time) */
export const StepRequest = Type.Object(
  {
    after: After,
    calendar: Type.Optional(Nullable(calendar("Name of a calendar. Only the time when it is open counts."))),
    do: StepKind,
    to: Type.Optional(
      Type.Unsafe<StepTarget | null>({
        type: ["array", "object", "null"],
        items: { type: "string" },
        additionalProperties: true,
        description: "With `notify`: entries as in `notify`. With `offer` and `assign`: as `assign_to`.",
      }),
    ),
  },
  { additionalProperties: true },
);
export type StepRequest = Static<typeof StepRequest>;

/** What happens while no one answers: steps, or the name of a template. */
export const EscalationRequest = Type.Unsafe<StepRequest[] | string | null>({
  type: ["array", "string", "null"],
  maxItems: STEPS_MAX,
  items: StepRequest,
  minLength: 1,
  maxLength: NAME_MAX,
  description:
    "What happens while no one answers: up to ten steps, or the name of a template. `[]`: nothing, not even the reminder by email at a quarter of the time left.",
});

/** The answer that counts if no one answers in time. */
export const OnTimeoutRequest = Type.Object(
  { response: Json("The answer. It must match `response_schema`.") },
  { additionalProperties: true },
);
export type OnTimeoutRequest = Static<typeof OnTimeoutRequest>;

const stepFields = {
  do: StepKind,
  after: After,
  calendar: Nullable(calendar("The calendar whose open time counts, or null.")),
  to: Type.Unsafe<StepTarget | null>({
    type: ["array", "object", "null"],
    items: { type: "string" },
    additionalProperties: true,
    description: "Who it concerns, or null. Entries of `notify` are shown to those who see the `notify` of the task.",
  }),
};

/** A step, in a template. */
export const StoredStep = Type.Object(stepFields);

/** A step, in the record of a task. */
export const StepRecord = Type.Object({
  step: Type.Integer({ description: "Its place in the ladder, from 1." }),
  ...stepFields,
  at: Time("When it is due. A step that is due at the deadline or later does not happen."),
  done_at: Nullable(Time("When it happened, or null.")),
});
export type StepRecord = Static<typeof StepRecord>;

/** The next step, in rows of lists. */
export const NextStep = Type.Object({ do: StepKind, at: Time("When it is due.") });
export type NextStep = Static<typeof NextStep>;
