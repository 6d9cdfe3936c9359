import type { Db } from "../db/database.ts";
import { linkToNext } from "../http/paging.ts";
import { InProjectQuery, pageOf } from "../http/schema.ts";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../http/route.ts";
import { Type } from "../lib/type.ts";
import { callerOf } from "../people/caller.ts";
import {
  listWebhookDeliveries,
  readWebhookDelivery,
  redeliverMany,
  redeliverOne,
  summarizeDeliveries,
} from "./deliveries.ts";
import {
  DeliveryParams,
  DeliverySummary,
  ListDeliveriesQuery,
  RedeliverBody,
  RedeliverResult,
  WebhookDelivery,
  WholeWebhookDelivery,
} from "./schema.ts";

const tags = ["Deliveries"];

const listRoute = defineRoute({
  method: "GET",
  url: "/webhook-deliveries",
  operationId: "listWebhookDeliveries",
  summary: "List deliveries",
  description: 'Newest first. The `Link` header with `rel="next"` is the address of the next page.',
  tags,
  credentials: SIGNED_IN,
  querystring: ListDeliveriesQuery,
  answers: {
    200: pageOf<WebhookDelivery>("WebhookDelivery", "One page of deliveries."),
  },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const { rows, next } = await listWebhookDeliveries(ctx, callerOf(request), request.query);
    if (next !== null) void reply.header("link", linkToNext("/api/admin/webhook-deliveries", request.url, next));
    return rows;
  },
});

const summaryRoute = defineRoute({
  method: "GET",
  url: "/webhook-deliveries/summary",
  operationId: "summarizeWebhookDeliveries",
  summary: "Count deliveries",
  description: "By status, and the receivers where they fail.",
  tags,
  credentials: SIGNED_IN,
  querystring: InProjectQuery,
  answers: { 200: Type.Unsafe<DeliverySummary>(Type.Ref("DeliverySummary")) },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => summarizeDeliveries(ctx, callerOf(request), request.query.project),
});

const readRoute = defineRoute({
  method: "GET",
  url: "/webhook-deliveries/:id",
  operationId: "getWebhookDelivery",
  summary: "Read a delivery",
  description: "Includes the stored body and all attempts.",
  tags,
  credentials: SIGNED_IN,
  params: DeliveryParams,
  answers: { 200: Type.Unsafe<WholeWebhookDelivery>(Type.Ref("WholeWebhookDelivery")) },
  errors: [...READ_ERRORS, "DELIVERY_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => readWebhookDelivery(ctx, callerOf(request), request.params.id),
});

const redeliverRoute = defineRoute({
  method: "POST",
  url: "/webhook-deliveries/:id/redeliver",
  operationId: "redeliverWebhook",
  summary: "Send a delivery again",
  description:
    "Allowed in any status. Starts a new cycle of attempts now. The result of an attempt in progress is ignored.",
  tags,
  credentials: SIGNED_IN,
  params: DeliveryParams,
  answers: { 200: Type.Unsafe<WebhookDelivery>(Type.Ref("WebhookDelivery")) },
  errors: [...READ_ERRORS, "MALFORMED_REQUEST", "DELIVERY_NOT_FOUND", "COMMIT_UNKNOWN"],
  config: () => ({ securityEvent: "callback_redelivered" }),
  handle: async (ctx: { db: Db }, request) => redeliverOne(ctx, callerOf(request), request.params.id),
});

const redeliverManyRoute = defineRoute({
  method: "POST",
  url: "/webhook-deliveries/redeliver",
  operationId: "redeliverWebhooks",
  summary: "Send many deliveries again",
  description: "Selects deliveries by id, or by status and receiver.",
  tags,
  credentials: SIGNED_IN,
  body: Type.Unsafe<RedeliverBody>(Type.Ref("Redeliver")),
  answers: {
    202: Type.Unsafe<RedeliverResult>({ ...Type.Ref("RedeliverResult"), description: "The deliveries are scheduled." }),
  },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED"],
  config: () => ({ securityEvent: "callbacks_redelivered" }),
  handle: async (ctx: { db: Db }, request, reply) =>
    reply.code(202).send({ count: await redeliverMany(ctx, callerOf(request), request.body) }),
});

/** How operators look after callbacks, resumes and events. (spec: Events, Delivery) */
export const deliveryRoutes = mount([listRoute, summaryRoute, readRoute, redeliverRoute, redeliverManyRoute]);

/** Shapes that other shapes refer to by name. */
export const deliveryShapes = [WebhookDelivery, WholeWebhookDelivery, DeliverySummary, RedeliverBody, RedeliverResult];
