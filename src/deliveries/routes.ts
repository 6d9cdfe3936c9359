import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import type { Db } from "../db/database.ts";
import { LINK_HEADERS, linkToNext } from "../http/paging.ts";
import { errors } from "../http/schema.ts";
import { callerOf } from "../people/caller.ts";
import { listWebhookDeliveries, readWebhookDelivery, redeliverMany, redeliverOne } from "./deliveries.ts";
import {
  DeliveryParams,
  ListDeliveriesQuery,
  RedeliverBody,
  RedeliverResult,
  WebhookDelivery,
  WholeWebhookDelivery,
} from "./schema.ts";

const tags = ["webhook deliveries"];
const security = [{ bearer: [] }, { session: [] }];

/** How operators look after callbacks. (spec: Events, Delivery) */
export const deliveryRoutes: FastifyPluginAsyncTypebox<{ ctx: { db: Db } }> = async (app, { ctx }) => {
  app.get(
    "/webhook-deliveries",
    {
      schema: {
        operationId: "listWebhookDeliveries",
        summary: "List webhook deliveries",
        description: 'Newest first. The header `Link` with `rel="next"` leads to the next page.',
        tags,
        security,
        querystring: ListDeliveriesQuery,
        response: {
          200: Type.Unsafe<WebhookDelivery[]>({
            type: "array",
            items: Type.Ref("WebhookDelivery"),
            description: "One page of deliveries.",
            headers: LINK_HEADERS,
          }),
          ...errors("MALFORMED_REQUEST", "UNAUTHENTICATED", "FORBIDDEN", "VALIDATION_FAILED"),
        },
      },
    },
    async (request, reply) => {
      const { rows, next } = await listWebhookDeliveries(ctx, callerOf(request), request.query);
      if (next !== null) void reply.header("link", linkToNext("/api/admin/webhook-deliveries", request.url, next));
      return rows;
    },
  );

  app.get(
    "/webhook-deliveries/:id",
    {
      schema: {
        operationId: "getWebhookDelivery",
        summary: "Read a webhook delivery",
        description: "With the stored body and every attempt.",
        tags,
        security,
        params: DeliveryParams,
        response: {
          200: Type.Unsafe<WholeWebhookDelivery>(Type.Ref("WholeWebhookDelivery")),
          ...errors("UNAUTHENTICATED", "FORBIDDEN", "DELIVERY_NOT_FOUND"),
        },
      },
    },
    async (request) => readWebhookDelivery(ctx, callerOf(request), request.params.id),
  );

  app.post(
    "/webhook-deliveries/:id/redeliver",
    {
      schema: {
        operationId: "redeliverWebhook",
        summary: "Redeliver a callback",
        description:
          "From any status: due now, a new cycle from attempt 1. The outcome of an attempt under way no longer counts.",
        tags,
        security,
        params: DeliveryParams,
        response: {
          200: Type.Unsafe<WebhookDelivery>(Type.Ref("WebhookDelivery")),
          ...errors("MALFORMED_REQUEST", "UNAUTHENTICATED", "FORBIDDEN", "DELIVERY_NOT_FOUND", "COMMIT_UNKNOWN"),
        },
      },
    },
    async (request) => redeliverOne(ctx, callerOf(request), request.params.id),
  );

  app.post(
    "/webhook-deliveries/redeliver",
    {
      schema: {
        operationId: "redeliverWebhooks",
        summary: "Redeliver many callbacks",
        description: "By their ids, or all that are in a status, of one receiver or of all.",
        tags,
        security,
        body: Type.Unsafe<RedeliverBody>(Type.Ref("Redeliver")),
        response: {
          202: Type.Unsafe<RedeliverResult>({ ...Type.Ref("RedeliverResult"), description: "They are due now." }),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async (request, reply) =>
      reply.code(202).send({ count: await redeliverMany(ctx, callerOf(request), request.body) }),
  );
};

/** Shapes that other shapes refer to by name. */
export const deliveryShapes = [WebhookDelivery, WholeWebhookDelivery, RedeliverBody, RedeliverResult];
