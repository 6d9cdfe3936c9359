import type { Db } from "../db/database.ts";
import { linkToNext } from "../http/paging.ts";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../http/route.ts";
import { pageOf } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import { callerOf } from "../people/caller.ts";
import type { CancelContext } from "./cancel-tasks.ts";
import {
  createAgent,
  createAgentToken,
  deleteAgent,
  listAgents,
  readAgent,
  revokeAgentToken,
  updateAgent,
} from "./agents.ts";
import {
  AgentParams,
  AgentRecord,
  AgentTokenParams,
  CreateAgentBody,
  CreateAgentTokenBody,
  ListAgentsQuery,
  NewAgentTokenRecord,
  UpdateAgentBody,
} from "./schema.ts";

const tags = ["Agents"];
const Agent = Type.Unsafe<AgentRecord>(Type.Ref("Agent"));

const listAgentsRoute = defineRoute({
  method: "GET",
  url: "/agents",
  operationId: "listAgents",
  summary: "List agents",
  description: "Newest first, including stopped agents.",
  tags,
  credentials: SIGNED_IN,
  querystring: ListAgentsQuery,
  answers: { 200: pageOf<AgentRecord>("Agent", "One page of agents.") },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const { rows, next } = await listAgents(ctx, callerOf(request), request.query);
    if (next !== null) void reply.header("link", linkToNext("/api/agents", request.url, next));
    return rows;
  },
});

const createAgentRoute = defineRoute({
  method: "POST",
  url: "/agents",
  operationId: "createAgent",
  summary: "Create an agent",
  description: "The agent has no token yet. `POST /api/agents/{id}/tokens` creates one.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  body: Type.Unsafe<CreateAgentBody>(Type.Ref("CreateAgent")),
  answers: { 201: Agent },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "AGENT_ALREADY_EXISTS", "PROJECT_ARCHIVED"],
  config: () => ({ securityEvent: "agent_created" }),
  handle: async (ctx: { db: Db }, request, reply) =>
    reply.code(201).send(await createAgent(ctx, callerOf(request), request.body)),
});

const getAgentRoute = defineRoute({
  method: "GET",
  url: "/agents/:id",
  operationId: "getAgent",
  summary: "Read an agent",
  description: "With its live tokens, and how many of its tasks are open.",
  tags,
  credentials: SIGNED_IN,
  params: AgentParams,
  answers: { 200: Agent },
  errors: [...READ_ERRORS, "AGENT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => readAgent(ctx, callerOf(request), request.params.id),
});

const updateAgentRoute = defineRoute({
  method: "PATCH",
  url: "/agents/:id",
  operationId: "updateAgent",
  summary: "Change or stop an agent",
  description:
    "Fields that are left out stay. With `disabled`, its tokens are refused from the next request on, and its polls end.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: AgentParams,
  body: Type.Unsafe<UpdateAgentBody>(Type.Ref("UpdateAgent")),
  answers: { 200: Agent },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "AGENT_NOT_FOUND", "AGENT_ALREADY_EXISTS"],
  config: () => ({ securityEvent: "agent_changed" }),
  handle: async (ctx: CancelContext, request) => updateAgent(ctx, callerOf(request), request.params.id, request.body),
});

const deleteAgentRoute = defineRoute({
  method: "DELETE",
  url: "/agents/:id",
  operationId: "deleteAgent",
  summary: "Delete an agent",
  description: "Its tokens are refused. Its tasks stay, with its name, and people can still answer them.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: AgentParams,
  answers: { 204: Type.Null({ description: "Deleted." }) },
  errors: [...WRITE_ERRORS, "AGENT_NOT_FOUND"],
  config: () => ({ securityEvent: "agent_deleted" }),
  handle: async (ctx: { db: Db }, request, reply) => {
    await deleteAgent(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

const createAgentTokenRoute = defineRoute({
  method: "POST",
  url: "/agents/:id/tokens",
  operationId: "createAgentToken",
  summary: "Create a token of an agent",
  description: "Only this response contains `token`. An agent has at most two live tokens.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: AgentParams,
  body: Type.Unsafe<CreateAgentTokenBody>(Type.Ref("CreateAgentToken")),
  answers: { 201: Type.Unsafe<NewAgentTokenRecord>(Type.Ref("NewAgentToken")) },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "AGENT_NOT_FOUND", "AGENT_TOKEN_LIMIT"],
  config: () => ({ securityEvent: "agent_token_created" }),
  handle: async (ctx: { db: Db }, request, reply) =>
    reply
      .code(201)
      .header("cache-control", "no-store")
      .send(await createAgentToken(ctx, callerOf(request), request.params.id, request.body)),
});

const revokeAgentTokenRoute = defineRoute({
  method: "DELETE",
  url: "/agents/:id/tokens/:token_id",
  operationId: "revokeAgentToken",
  summary: "Revoke a token of an agent",
  description: "Takes effect with the next request in every process.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: AgentTokenParams,
  answers: { 204: Type.Null({ description: "Revoked." }) },
  errors: [...WRITE_ERRORS, "AGENT_NOT_FOUND", "NOT_FOUND"],
  config: () => ({ securityEvent: "agent_token_revoked" }),
  handle: async (ctx: { db: Db }, request, reply) => {
    await revokeAgentToken(ctx, callerOf(request), request.params.id, request.params.token_id);
    return reply.code(204).send(null);
  },
});

/** Agents and their tokens. (beyond: Agents) */
export const agentRoutes = mount<CancelContext>([
  listAgentsRoute,
  createAgentRoute,
  getAgentRoute,
  updateAgentRoute,
  deleteAgentRoute,
  createAgentTokenRoute,
  revokeAgentTokenRoute,
]);

/** Shapes that other shapes refer to by name. */
export const agentShapes = [AgentRecord, CreateAgentBody, UpdateAgentBody, CreateAgentTokenBody, NewAgentTokenRecord];
