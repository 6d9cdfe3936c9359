import { Type, type Static } from "typebox";
import { Nullable, Text, Time } from "../http/schema.ts";
import { DELIVERY_STATUSES, type DeliveryStatus } from "./store.ts";

const Status = Type.Unsafe<DeliveryStatus>({
  type: "string",
  enum: [...DELIVERY_STATUSES],
  description: "`FAILED` is tried again, `ABANDONED` is not.",
});
const Origin = Text({
  maxLength: 2048,
  description: "Scheme, host and port of the receiver, for example `https://example.com`.",
});

const deliveryFields = {
  id: Type.String({ examples: ["dlv_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
  task_id: Type.String(),
  url: Type.String({ description: "Where the callback is posted." }),
  status: Status,
  attempt_count: Type.Integer({ description: "Attempts that have ended since it was last redelivered." }),
  next_attempt_at: Nullable(Time("When the next attempt is due; null when there is none.")),
  last_attempt_at: Nullable(Time("When the latest attempt ended.")),
  last_status_code: Nullable(Type.Integer({ description: "What the receiver answered to it." })),
  last_error: Nullable(Type.String({ description: "A stable word, a colon, and a sentence." })),
  created_at: Time("When the task ended."),
  updated_at: Time("The latest change."),
};

export const WebhookDelivery = Type.Object(deliveryFields, { $id: "WebhookDelivery" });
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WholeWebhookDelivery = Type.Object(
  {
    ...deliveryFields,
    body: Nullable(Type.String({ description: "The bytes that every attempt sends, as text." })),
    attempts: Type.Array(
      Type.Object({
        cycle: Type.Integer({ description: "Counts up with every redelivery." }),
        attempt: Type.Integer({ description: "From 1 in each cycle." }),
        started_at: Time("When it began."),
        duration_ms: Type.Integer(),
        outcome: Type.Unsafe<"succeeded" | "failed">({ type: "string", enum: ["succeeded", "failed"] }),
        status_code: Nullable(Type.Integer()),
        error: Nullable(Type.String({ description: "A stable word, a colon, and a sentence." })),
        response_excerpt: Nullable(Type.String({ description: "The beginning of what the receiver answered." })),
      }),
      { description: "Attempts that have ended, oldest first." },
    ),
  },
  { $id: "WholeWebhookDelivery" },
);
export type WholeWebhookDelivery = Static<typeof WholeWebhookDelivery>;

export const ListDeliveriesQuery = Type.Object({
  status: Type.Optional(
    Type.Array(Status, { maxItems: DELIVERY_STATUSES.length, description: "Repeatable: any of these." }),
  ),
  task_id: Type.Optional(Text({ minLength: 1, maxLength: 100, description: "Only the callbacks of this task." })),
  origin: Type.Optional(Origin),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "Rows in one page (default 50)." })),
  cursor: Type.Optional(Text({ maxLength: 500, description: "From the `Link` header of the page before." })),
});
export type ListDeliveriesQuery = Static<typeof ListDeliveriesQuery>;

export const RedeliverBody = Type.Object(
  {
    ids: Type.Optional(
      Nullable(Type.Array(Type.String(), { maxItems: 1000, description: "These; unknown ones are not counted." })),
    ),
    status: Type.Optional(Nullable(Status)),
    origin: Type.Optional(Nullable(Origin)),
  },
  {
    $id: "Redeliver",
    additionalProperties: true,
    description: "Either `ids`, or `status` with or without `origin`.",
  },
);
export type RedeliverBody = Static<typeof RedeliverBody>;

export const RedeliverResult = Type.Object(
  { count: Type.Integer({ description: "Deliveries that begin a new cycle of attempts." }) },
  { $id: "RedeliverResult" },
);
export type RedeliverResult = Static<typeof RedeliverResult>;

export const DeliveryParams = Type.Object({ id: Type.String({ description: "Delivery id." }) });
