import type { Static } from "typebox";
import { CommentRecord } from "../conversation/schema.ts";
import { Json, Nullable, ProjectFilter, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";

/** What happens to tasks, as others can hear of it. (beyond the spec: Resuming) */
export const EVENT_TYPES = [
  "task.created",
  "task.claimed",
  "task.commented",
  "task.revised",
  "task.rejected",
  "task.completed",
  "task.cancelled",
  "task.timed_out",
  "task.verification_exhausted",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const TypeOfEvent = Type.Unsafe<EventType>({ type: "string", enum: [...EVENT_TYPES] });
const Url = Text({ minLength: 1, maxLength: 2048, description: "Gets a signed POST for each event." });
const Events = Type.Array(TypeOfEvent, {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  description:
    "Which events. `task.rejected`: the verifier sent an answer back. `task.verification_exhausted`: it did so too often, and the task has ended.",
});

/** Who hears what happens to the tasks of a project. */
export const SubscriptionRecord = Type.Object(
  {
    id: Type.String({ examples: ["sub_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
    project: Type.String({ description: "The project whose tasks it is about." }),
    url: Url,
    events: Events,
    created_at: Time("When it was created."),
    updated_at: Time("When an operator last changed it."),
    rotated_at: Nullable(Time("When its secret was last replaced; null: never.")),
    disabled_at: Nullable(
      Time(
        "Since when nothing is sent, because the receiver answered 410 or an operator turned it off; null: it is on.",
      ),
    ),
  },
  { $id: "EventSubscription" },
);
export type SubscriptionRecord = Static<typeof SubscriptionRecord>;

/** A subscription with its secret, which only these answers have. */
export const NewSubscriptionRecord = Type.Object(
  {
    ...SubscriptionRecord.properties,
    secret: Type.String({ description: "Signs the events, by Standard Webhooks.", examples: ["whsec_..."] }),
  },
  { $id: "NewEventSubscription" },
);
export type NewSubscriptionRecord = Static<typeof NewSubscriptionRecord>;

export const CreateSubscriptionBody = Type.Object(
  {
    url: Url,
    events: Events,
    project: Type.Optional(
      Nullable(Text({ minLength: 1, maxLength: 64, description: "Slug of a project. Default: `default`." })),
    ),
  },
  {
    $id: "CreateEventSubscription",
    additionalProperties: true,
    examples: [{ url: "https://example.com/hooks", events: ["task.created", "task.completed"] }],
  },
);
export type CreateSubscriptionBody = Static<typeof CreateSubscriptionBody>;

export const UpdateSubscriptionBody = Type.Object(
  {
    url: Type.Optional(Nullable(Url)),
    events: Type.Optional(Nullable(Events)),
    disabled: Type.Optional(Nullable(Type.Boolean({ description: "true: sends nothing more. false: sends again." }))),
  },
  { $id: "UpdateEventSubscription", additionalProperties: true, examples: [{ disabled: false }] },
);
export type UpdateSubscriptionBody = Static<typeof UpdateSubscriptionBody>;

export const SubscriptionParams = Type.Object({ id: Type.String({ description: "Subscription id." }) });

export const ListSubscriptionsQuery = Type.Object({ project: ProjectFilter });
export type ListSubscriptionsQuery = Static<typeof ListSubscriptionsQuery>;

/** What a receiver gets. */
export const TaskEventBody = Type.Object(
  {
    type: TypeOfEvent,
    timestamp: Time("When it happened."),
    data: Type.Object(
      {
        task_id: Type.String(),
        project: Type.String({ description: "Slug of its project." }),
        idempotency_key: Type.String(),
        status: Type.String({ description: "The status after the event." }),
        task: Nullable(Type.String({ description: "The question or the work; null if the task is redacted." })),
        payload: Type.Optional(Nullable(Json("Only in `task.created`; null if the task is redacted."))),
        response: Type.Optional(
          Nullable(
            Json("Only in events that end a task: the accepted answer; null without one, or if the task is redacted."),
          ),
        ),
        waiting_on: Type.Optional(Type.String({ description: "Only in `task.commented`." })),
        comment: Type.Optional(
          Type.Object(
            {
              ...CommentRecord.properties,
              text: Nullable(Type.String({ description: "null if the task is redacted." })),
              files: { ...CommentRecord.properties.files, description: "Empty if the task is redacted." },
            },
            { description: "Only in `task.commented`." },
          ),
        ),
        version: Type.Optional(Type.Integer({ description: "Only in `task.revised`: the new version." })),
        note: Type.Optional(
          Nullable(
            Type.String({
              description: "Only in `task.revised`: what the asker said of it; null if the task is redacted.",
            }),
          ),
        ),
        claimed_by_email: Type.Optional(Nullable(Type.String({ description: "Only in `task.claimed`." }))),
        rejected_reason: Type.Optional(
          Nullable(
            Type.String({
              description:
                "Only in `task.rejected` and `task.verification_exhausted`: what the verifier said; null if the task is redacted.",
            }),
          ),
        ),
      },
      {
        additionalProperties: true,
        description: "An event that ends a task has the other fields of its callback as well.",
      },
    ),
  },
  {
    $id: "TaskEvent",
    description: "Of Standard Webhooks. `webhook-id` is the same for all attempts to send an event.",
  },
);
export type TaskEventBody = Static<typeof TaskEventBody>;
