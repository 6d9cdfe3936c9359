import type { Static } from "typebox";
import { Nullable, ProjectFilter, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import { SHOWN_KINDS, type ShownKind } from "./kinds.ts";
import { DELIVERY_STATUSES, type DeliveryStatus } from "./store.ts";

const Status = Type.Unsafe<DeliveryStatus>({
  type: "string",
  enum: [...DELIVERY_STATUSES],
  description: "`FAILED`: will be retried. `ABANDONED`: failed for good.",
});
const Origin = Text({
  maxLength: 2048,
  description: "Origin of the receiver, for example `https://example.com`.",
});

const deliveryFields = {
  id: Type.String({ examples: ["dlv_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
  kind: Type.Unsafe<ShownKind>({
    type: "string",
    enum: [...SHOWN_KINDS],
    description:
      "`callback`: to the `callback_url`. `resume`: resumes an engine. `event`: tells a subscriber what happened.",
  }),
  engine: Nullable(Type.String({ description: "The kind of engine that is resumed.", examples: ["temporal"] })),
  task_id: Type.String(),
  task: Nullable(Type.String({ description: "What the task asks; null if it was deleted." })),
  connection: Nullable(Type.String({ description: "Id of the connection that is used." })),
  subscription: Nullable(Type.String({ description: "Id of the event subscription that it is for." })),
  url: Type.String({
    description: "The URL of the receiver; of an engine its origin, or as much of it as may be shown.",
  }),
  status: Status,
  attempt_count: Type.Integer({ description: "Completed attempts of the current cycle." }),
  next_attempt_at: Nullable(Time("Time of the next attempt, or null.")),
  last_attempt_at: Nullable(Time("When the latest attempt ended.")),
  last_status_code: Nullable(Type.Integer({ description: "HTTP status of the receiver's last response." })),
  last_error: Nullable(Type.String({ description: "A stable word, a colon and a sentence." })),
  meaning: Nullable(
    Type.String({
      description:
        "What the latest answer of an engine meant: `done`, `done_already`, `gone`, `later`, or `refused` (its secret is not accepted).",
    }),
  ),
  created_at: Time("When it was created: with the end of its task, or with the task where an engine is resumed."),
  updated_at: Time("The latest change."),
};

export const WebhookDelivery = Type.Object(deliveryFields, { $id: "WebhookDelivery" });
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WholeWebhookDelivery = Type.Object(
  {
    ...deliveryFields,
    request: Type.Unsafe<{ method: string; headers: Record<string, string> } | null>({
      type: ["object", "null"],
      description:
        "How the latest attempt was sent. Signatures are `...`. null for engines, whose requests have credentials.",
      properties: {
        method: { type: "string" },
        headers: { type: "object", additionalProperties: { type: "string" } },
      },
      required: ["method", "headers"],
    }),
    body: Nullable(Type.String({ description: "The body that each attempt sends." })),
    attempts: Type.Array(
      Type.Object({
        cycle: Type.Integer({ description: "Increases with each redelivery." }),
        attempt: Type.Integer({ description: "From 1 in each cycle." }),
        started_at: Time("When the attempt started."),
        duration_ms: Type.Integer(),
        outcome: Type.Unsafe<"succeeded" | "failed">({ type: "string", enum: ["succeeded", "failed"] }),
        status_code: Nullable(Type.Integer()),
        error: Nullable(Type.String({ description: "A stable word, a colon and a sentence." })),
        response_excerpt: Nullable(Type.String({ description: "The start of the receiver's response." })),
        meaning: Nullable(Type.String({ description: "As that of the delivery." })),
      }),
      { description: "Completed attempts, oldest first." },
    ),
  },
  { $id: "WholeWebhookDelivery" },
);
export type WholeWebhookDelivery = Static<typeof WholeWebhookDelivery>;

export const DeliverySummary = Type.Object(
  {
    is_complete: Type.Boolean({ description: "false: only the newest 10000 deliveries are counted." }),
    counts: Type.Unsafe<Record<DeliveryStatus, number>>({
      type: "object",
      description: "Deliveries by status.",
      properties: Object.fromEntries(DELIVERY_STATUSES.map((status) => [status, { type: "integer" }])),
      required: [...DELIVERY_STATUSES],
    }),
    failing: Type.Array(
      Type.Object({
        origin: Type.String({ description: "Origin of the receiver." }),
        failed: Type.Integer({ description: "Failed for good." }),
        retrying: Type.Integer({ description: "Failed, and are retried." }),
        newest_id: Type.String({ description: "The newest of them." }),
      }),
      { description: "At most 20 receivers where deliveries fail, the most failures first." },
    ),
  },
  { $id: "DeliverySummary" },
);
export type DeliverySummary = Static<typeof DeliverySummary>;

export const ListDeliveriesQuery = Type.Object({
  project: ProjectFilter,
  kind: Type.Optional(
    Type.Unsafe<ShownKind>({ type: "string", enum: [...SHOWN_KINDS], description: "Only those of this kind." }),
  ),
  status: Type.Optional(Type.Array(Status, { maxItems: DELIVERY_STATUSES.length, description: "Can be repeated." })),
  task_id: Type.Optional(Text({ minLength: 1, maxLength: 100, description: "Only those of this task." })),
  connection: Type.Optional(
    Text({ minLength: 1, maxLength: 100, description: "Only those that use this connection, by its id." }),
  ),
  subscription: Type.Optional(
    Text({ minLength: 1, maxLength: 100, description: "Only those for this event subscription, by its id." }),
  ),
  origin: Type.Optional(Origin),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "Rows in one page (default 50)." })),
  cursor: Type.Optional(Text({ maxLength: 500, description: "From the `Link` header of the previous page." })),
});
export type ListDeliveriesQuery = Static<typeof ListDeliveriesQuery>;

export const RedeliverBody = Type.Object(
  {
    ids: Type.Optional(
      Nullable(
        Type.Array(Type.String(), { maxItems: 1000, description: "Ids of deliveries. Unknown ids are ignored." }),
      ),
    ),
    status: Type.Optional(Nullable(Status)),
    origin: Type.Optional(Nullable(Origin)),
  },
  {
    $id: "Redeliver",
    additionalProperties: true,
    description: "Either `ids`, or `status` with an optional `origin`.",
  },
);
export type RedeliverBody = Static<typeof RedeliverBody>;

export const RedeliverResult = Type.Object(
  { count: Type.Integer({ description: "Number of deliveries that start a new cycle." }) },
  { $id: "RedeliverResult" },
);
export type RedeliverResult = Static<typeof RedeliverResult>;

export const DeliveryParams = Type.Object({ id: Type.String({ description: "Id of the delivery." }) });
