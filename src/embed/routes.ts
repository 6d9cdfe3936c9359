import type { FastifyRequest } from "fastify";
import type { EmbedConfig } from "../config/embed.ts";
import type { AddCommentBody } from "../conversation/schema.ts";
import type { Config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { defineRoute, mount } from "../http/route.ts";
import { AGENT_TOKEN_START } from "../people/agent-caller.ts";
import { callerOf, type Caller } from "../people/caller.ts";
import { bearerOf } from "../people/identify.ts";
import { callerWithKey } from "../people/service-keys.ts";
import { forReader } from "../http/language.ts";
import { Type } from "../lib/type.ts";
import { commentEmbedded, completeEmbedded, mintToken, readNews, readEmbedded, type EmbedContext } from "./embed.ts";
import { scopeMissing } from "../tasks/access.ts";
import { ANSWER_ERRORS } from "../tasks/schema.ts";
import {
  EmbedAnswer,
  EmbedCommentsQuery,
  EmbedConversation,
  EmbedOutcome,
  EmbedTask,
  EmbedTaskQuery,
  EmbedToken,
  MintTokenBody,
} from "./schema.ts";
import { openToken, type EmbedCaller } from "./tokens.ts";

/** Shapes that other shapes refer to by name. */
export const embedShapes = [MintTokenBody, EmbedToken, EmbedTask, EmbedAnswer, EmbedOutcome, EmbedConversation];

const tags = ["Embed"];

interface EmbedRoutes {
  ctx: EmbedContext;
  /** Whether the pages are built; without them, no payload is drawn. */
  isBuilt: boolean;
}

const createEmbedTokenRoute = defineRoute({
  method: "POST",
  url: "/tokens",
  operationId: "createEmbedToken",
  summary: "Create an embed token",
  description:
    "For the server of a product that embeds the form of a task. The frame loads `embed_url`. The token opens this one task, for the person `sub`, in a page of `parent_origin`.",
  tags,
  credentials: ["service_key"],
  body: Type.Unsafe<MintTokenBody>(Type.Ref("MintEmbedToken")),
  answers: { 200: Type.Unsafe<EmbedToken>(Type.Ref("EmbedToken")) },
  errors: [
    "EMBED_NOT_CONFIGURED",
    "SERVICE_KEY_NOT_FOUND",
    "AGENT_TOKEN_REVOKED",
    "AGENT_DISABLED",
    "AGENT_SCOPE_MISSING",
    "MALFORMED_REQUEST",
    "VALIDATION_FAILED",
    "EMBED_ORIGIN_NOT_ALLOWED",
    "TASK_NOT_FOUND",
    "TASK_ALREADY_TERMINAL",
    "PAYLOAD_TOO_LARGE",
  ],
  config: ({ ctx }: EmbedRoutes) => ({ authenticate: asProduct(ctx), skipSameOrigin: true }),
  handle: async ({ ctx }: EmbedRoutes, request) => {
    const minter = callerOf(request) as Extract<Caller, { kind: "service_key" | "agent" }>;
    return mintToken(ctx, requireEmbed(ctx), minter, request.body);
  },
});

const getEmbeddedTaskRoute = defineRoute({
  method: "GET",
  url: "/task",
  operationId: "getEmbeddedTask",
  summary: "Read the task of an embedded form",
  description: "Data of the embedded form. Internal: may change in any version.",
  tags,
  credentials: ["embed_token"],
  querystring: EmbedTaskQuery,
  answers: { 200: Type.Unsafe<EmbedTask>(Type.Ref("EmbedTask")) },
  errors: [
    "EMBED_NOT_CONFIGURED",
    "INVALID_EMBED_TOKEN",
    "EMBED_ORIGIN_NOT_ALLOWED",
    "VALIDATION_FAILED",
    "TASK_NOT_FOUND",
    "TASK_ALREADY_TERMINAL",
    "NEEDS_A_PERSON",
  ],
  config: ({ ctx }: EmbedRoutes) => ({ authenticate: asEmbedder(ctx) }),
  handle: async ({ ctx, isBuilt }: EmbedRoutes, request) =>
    forReader(request, { chosen: request.query.locale }, () =>
      readEmbedded(ctx, callerOf(request) as EmbedCaller, request.query, isBuilt && request.method !== "HEAD"),
    ),
});

const completeEmbeddedTaskRoute = defineRoute({
  method: "POST",
  url: "/task/complete",
  operationId: "completeEmbeddedTask",
  summary: "Answer in an embedded form",
  description:
    "Like `POST /api/tasks/{id}/complete`. The audit trail has `sub` of the token as `embed_sub`. Internal: may change in any version.",
  tags,
  credentials: ["embed_token"],
  body: Type.Unsafe<EmbedAnswer>(Type.Ref("EmbedAnswer")),
  answers: { 200: Type.Unsafe<EmbedOutcome>(Type.Ref("EmbedOutcome")) },
  errors: [
    "MALFORMED_REQUEST",
    "EMBED_NOT_CONFIGURED",
    "INVALID_EMBED_TOKEN",
    "EMBED_ORIGIN_NOT_ALLOWED",
    "PAYLOAD_TOO_LARGE",
    ...ANSWER_ERRORS,
  ],
  config: ({ ctx }: EmbedRoutes) => ({ authenticate: asEmbedder(ctx), skipSameOrigin: true }),
  handle: async ({ ctx }: EmbedRoutes, request) =>
    completeEmbedded(ctx, callerOf(request) as EmbedCaller, request.body),
});

const listEmbeddedCommentsRoute = defineRoute({
  method: "GET",
  url: "/task/comments",
  operationId: "listEmbeddedComments",
  summary: "Read the conversation of an embedded form",
  description: "What was said about the task. Internal: may change in any version.",
  tags,
  credentials: ["embed_token"],
  querystring: EmbedCommentsQuery,
  answers: {
    200: Type.Unsafe<EmbedConversation>(Type.Ref("EmbedConversation")),
    204: Type.Null({ description: "The page shows it already." }),
  },
  errors: [
    "EMBED_NOT_CONFIGURED",
    "INVALID_EMBED_TOKEN",
    "EMBED_ORIGIN_NOT_ALLOWED",
    "VALIDATION_FAILED",
    "TASK_NOT_FOUND",
  ],
  config: ({ ctx }: EmbedRoutes) => ({ authenticate: asEmbedder(ctx) }),
  handle: async ({ ctx, isBuilt }: EmbedRoutes, request, reply) => {
    const draws = isBuilt && request.method !== "HEAD";
    const shown = await forReader(request, { chosen: request.query.locale }, () =>
      readNews(ctx, callerOf(request) as EmbedCaller, request.query, draws),
    );
    return shown ?? reply.code(204).send(null);
  },
});

const addEmbeddedCommentRoute = defineRoute({
  method: "POST",
  url: "/task/comments",
  operationId: "addEmbeddedComment",
  summary: "Comment in an embedded form, or ask a question",
  description:
    "Like `POST /api/tasks/{id}/comments`. The audit trail has `sub` of the token as `embed_sub`. Internal: may change in any version.",
  tags,
  credentials: ["embed_token"],
  querystring: EmbedTaskQuery,
  body: Type.Unsafe<AddCommentBody>(Type.Ref("AddComment")),
  answers: { 200: Type.Unsafe<EmbedConversation>(Type.Ref("EmbedConversation")) },
  errors: [
    "MALFORMED_REQUEST",
    "EMBED_NOT_CONFIGURED",
    "INVALID_EMBED_TOKEN",
    "EMBED_ORIGIN_NOT_ALLOWED",
    "PAYLOAD_TOO_LARGE",
    "VALIDATION_FAILED",
    "TASK_NOT_FOUND",
    "TOO_MANY_COMMENTS",
  ],
  config: ({ ctx }: EmbedRoutes) => ({ authenticate: asEmbedder(ctx), skipSameOrigin: true }),
  handle: async ({ ctx, isBuilt }: EmbedRoutes, request) =>
    forReader(request, { chosen: request.query.locale }, () =>
      commentEmbedded(ctx, callerOf(request) as EmbedCaller, request.query, request.body, isBuilt),
    ),
});

/**
 * Showing the form of a task in other products: what their servers call, and what the form does. (spec: Embed tokens)
 * Each route has credentials of its own, which open nothing else, and takes no others.
 */
export const embedRoutes = mount([
  createEmbedTokenRoute,
  getEmbeddedTaskRoute,
  completeEmbeddedTaskRoute,
  listEmbeddedCommentsRoute,
  addEmbeddedCommentRoute,
]);

/** Identifies the server of a product by its service key, or by the token of an agent with the scope `embed`. */
function asProduct(ctx: EmbedContext): (request: FastifyRequest) => Promise<Caller> {
  return async ({ headers }) => {
    requireEmbed(ctx);
    const token = bearerOf(headers) ?? "";
    const agent = token.startsWith(AGENT_TOKEN_START) ? await ctx.agents.find(token) : null;
    if (agent !== null && !agent.scopes.includes("embed")) throw scopeMissing(["embed"]);
    if (agent !== null) return agent;
    const caller = await callerWithKey(ctx.db, token);
    if (caller === null) throw new ServiceError("SERVICE_KEY_NOT_FOUND");
    return caller;
  };
}

/** Identifies the person in front of the form by their embed token. */
function asEmbedder(ctx: EmbedContext): (request: FastifyRequest) => Promise<EmbedCaller> {
  return ({ headers }) => openToken(ctx, requireEmbed(ctx), bearerOf(headers));
}

/** @throws ServiceError EMBED_NOT_CONFIGURED */
function requireEmbed({ config }: { config: Config }): EmbedConfig {
  if (config.embed === null) throw new ServiceError("EMBED_NOT_CONFIGURED");
  return config.embed;
}
