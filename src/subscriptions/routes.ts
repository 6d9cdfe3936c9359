import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../http/route.ts";
import { Type } from "../lib/type.ts";
import { callerOf } from "../people/caller.ts";
import {
  CreateSubscriptionBody,
  ListSubscriptionsQuery,
  NewSubscriptionRecord,
  SubscriptionParams,
  SubscriptionRecord,
  TaskEventBody,
  UpdateSubscriptionBody,
} from "./schema.ts";
import {
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  readSubscription,
  rotateSecret,
  updateSubscription,
} from "./subscriptions.ts";

const tags = ["Events"];
const Subscription = Type.Unsafe<SubscriptionRecord>(Type.Ref("EventSubscription"));
const NewSubscription = Type.Unsafe<NewSubscriptionRecord>(Type.Ref("NewEventSubscription"));

interface Ctx {
  db: Db;
  config: Config;
}

const listRoute = defineRoute({
  method: "GET",
  url: "/event-subscriptions",
  operationId: "listEventSubscriptions",
  summary: "List event subscriptions",
  description: "The oldest first. For operators.",
  tags,
  credentials: SIGNED_IN,
  querystring: ListSubscriptionsQuery,
  answers: {
    200: Type.Unsafe<SubscriptionRecord[]>({
      type: "array",
      items: Type.Ref("EventSubscription"),
      description: "The subscriptions.",
    }),
  },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: Ctx, request) => listSubscriptions(ctx, callerOf(request), request.query),
});

const createRoute = defineRoute({
  method: "POST",
  url: "/event-subscriptions",
  operationId: "createEventSubscription",
  summary: "Subscribe to events",
  description:
    "For operators of the project. Only this response contains `secret`. Each event is sent at least once, as a `TaskEvent`, by Standard Webhooks.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  body: Type.Unsafe<CreateSubscriptionBody>(Type.Ref("CreateEventSubscription")),
  answers: { 201: NewSubscription },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_ARCHIVED"],
  config: () => ({ securityEvent: "event_subscription_created" }),
  handle: async (ctx: Ctx, request, reply) =>
    reply
      .code(201)
      .header("cache-control", "no-store")
      .send(await createSubscription(ctx, callerOf(request), request.body)),
});

const getRoute = defineRoute({
  method: "GET",
  url: "/event-subscriptions/:id",
  operationId: "getEventSubscription",
  summary: "Read an event subscription",
  description: "Without its secret. For operators of its project.",
  tags,
  credentials: SIGNED_IN,
  params: SubscriptionParams,
  answers: { 200: Subscription },
  errors: [...READ_ERRORS, "SUBSCRIPTION_NOT_FOUND"],
  handle: async (ctx: Ctx, request) => readSubscription(ctx, callerOf(request), request.params.id),
});

const updateRoute = defineRoute({
  method: "PATCH",
  url: "/event-subscriptions/:id",
  operationId: "updateEventSubscription",
  summary: "Change an event subscription",
  description: "Fields that are left out stay.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: SubscriptionParams,
  body: Type.Unsafe<UpdateSubscriptionBody>(Type.Ref("UpdateEventSubscription")),
  answers: { 200: Subscription },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "SUBSCRIPTION_NOT_FOUND"],
  config: () => ({ securityEvent: "event_subscription_changed" }),
  handle: async (ctx: Ctx, request) => updateSubscription(ctx, callerOf(request), request.params.id, request.body),
});

const rotateRoute = defineRoute({
  method: "POST",
  url: "/event-subscriptions/:id/rotate",
  operationId: "rotateEventSubscription",
  summary: "Replace the secret of an event subscription",
  description: "Only this response contains the new `secret`. It and the one before sign for 24 hours.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: SubscriptionParams,
  answers: { 200: NewSubscription },
  errors: [...READ_ERRORS, "MALFORMED_REQUEST", "SUBSCRIPTION_NOT_FOUND", "COMMIT_UNKNOWN"],
  config: () => ({ securityEvent: "event_subscription_rotated" }),
  handle: async (ctx: Ctx, request, reply) =>
    reply.header("cache-control", "no-store").send(await rotateSecret(ctx, callerOf(request), request.params.id)),
});

const deleteRoute = defineRoute({
  method: "DELETE",
  url: "/event-subscriptions/:id",
  operationId: "deleteEventSubscription",
  summary: "Delete an event subscription",
  description: "What was not sent yet is not sent.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: SubscriptionParams,
  answers: { 204: Type.Null({ description: "Deleted." }) },
  errors: [...WRITE_ERRORS, "SUBSCRIPTION_NOT_FOUND"],
  config: () => ({ securityEvent: "event_subscription_deleted" }),
  handle: async (ctx: Ctx, request, reply) => {
    await deleteSubscription(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

/** Others hear what happens to tasks. (beyond the spec: Resuming) */
export const subscriptionRoutes = mount<Ctx>([listRoute, createRoute, getRoute, updateRoute, rotateRoute, deleteRoute]);

/** Shapes that other shapes refer to by name. */
export const subscriptionShapes = [
  SubscriptionRecord,
  NewSubscriptionRecord,
  CreateSubscriptionBody,
  UpdateSubscriptionBody,
  TaskEventBody,
];
