import type { FastifyPluginAsync } from "fastify";
import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../http/route.ts";
import { Type } from "../lib/type.ts";
import type { Sender } from "../outbound/http-sender.ts";
import { DELIVERY_MAX_BYTES } from "../resume/github/delivery.ts";
import { callerOf } from "../people/caller.ts";
import { receiveGithub, type WebhookContext } from "./github.ts";
import {
  createConnection,
  deleteConnection,
  listConnectionKinds,
  listConnections,
  probeConnection,
  readConnection,
  updateConnection,
} from "./connections.ts";
import {
  ConnectionKind,
  ConnectionParams,
  ConnectionRecord,
  CreateConnectionBody,
  ListConnectionsQuery,
  ProbeResult,
  ReceivedWebhook,
  UpdateConnectionBody,
} from "./schema.ts";

const tags = ["Connections"];
const Connection = Type.Unsafe<ConnectionRecord>(Type.Ref("Connection"));

interface Ctx {
  db: Db;
  config: Config;
  sender: Sender;
}

const listRoute = defineRoute({
  method: "GET",
  url: "/connections",
  operationId: "listConnections",
  summary: "List connections",
  description: "How engines are reached that wait for tasks, by project and name. For operators.",
  tags,
  credentials: SIGNED_IN,
  querystring: ListConnectionsQuery,
  answers: {
    200: Type.Unsafe<ConnectionRecord[]>({
      type: "array",
      items: Type.Ref("Connection"),
      description: "The connections.",
    }),
  },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: Ctx, request) => listConnections(ctx, callerOf(request), request.query),
});

const kindsRoute = defineRoute({
  method: "GET",
  url: "/connections/kinds",
  operationId: "listConnectionKinds",
  summary: "List kinds of connections",
  description: "What a connection of each kind of engine needs. For operators.",
  tags,
  credentials: SIGNED_IN,
  answers: {
    200: Type.Unsafe<ConnectionKind[]>({
      type: "array",
      items: Type.Ref("ConnectionKind"),
      description: "The kinds.",
    }),
  },
  errors: [...READ_ERRORS],
  handle: async (_ctx: Ctx, request) => listConnectionKinds(callerOf(request)),
});

const createRoute = defineRoute({
  method: "POST",
  url: "/connections",
  operationId: "createConnection",
  summary: "Create a connection",
  description: "For operators of the project. The secret is stored encrypted, and no answer contains it.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  body: Type.Unsafe<CreateConnectionBody>(Type.Ref("CreateConnection")),
  answers: { 201: Connection },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "CONNECTION_ALREADY_EXISTS", "PROJECT_ARCHIVED"],
  config: () => ({ securityEvent: "connection_created" }),
  handle: async (ctx: Ctx, request, reply) =>
    reply.code(201).send(await createConnection(ctx, callerOf(request), request.body)),
});

const getRoute = defineRoute({
  method: "GET",
  url: "/connections/:id",
  operationId: "getConnection",
  summary: "Read a connection",
  description: "For operators of its project.",
  tags,
  credentials: SIGNED_IN,
  params: ConnectionParams,
  answers: { 200: Connection },
  errors: [...READ_ERRORS, "CONNECTION_NOT_FOUND"],
  handle: async (ctx: Ctx, request) => readConnection(ctx, callerOf(request), request.params.id),
});

const updateRoute = defineRoute({
  method: "PATCH",
  url: "/connections/:id",
  operationId: "updateConnection",
  summary: "Change a connection",
  description:
    "Fields that are left out stay. Attempts from now on use it as it is then. With an address of another server, the secret must be sent as well.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: ConnectionParams,
  body: Type.Unsafe<UpdateConnectionBody>(Type.Ref("UpdateConnection")),
  answers: { 200: Connection },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "CONNECTION_NOT_FOUND", "CONNECTION_ALREADY_EXISTS"],
  config: () => ({ securityEvent: "connection_changed" }),
  handle: async (ctx: Ctx, request) => updateConnection(ctx, callerOf(request), request.params.id, request.body),
});

const deleteRoute = defineRoute({
  method: "DELETE",
  url: "/connections/:id",
  operationId: "deleteConnection",
  summary: "Delete a connection",
  description: "What waits for tasks that name it is no longer resumed.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: ConnectionParams,
  answers: { 204: Type.Null({ description: "Deleted." }) },
  errors: [...WRITE_ERRORS, "CONNECTION_NOT_FOUND"],
  config: () => ({ securityEvent: "connection_deleted" }),
  handle: async (ctx: Ctx, request, reply) => {
    await deleteConnection(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

const probeRoute = defineRoute({
  method: "POST",
  url: "/connections/:id/probe",
  operationId: "probeConnection",
  summary: "Probe a connection",
  description: "Asks the engine whether it is there and accepts the secret. Nothing is changed there.",
  tags,
  credentials: SIGNED_IN,
  params: ConnectionParams,
  answers: { 200: Type.Unsafe<ProbeResult>(Type.Ref("ConnectionProbe")) },
  errors: [...READ_ERRORS, "MALFORMED_REQUEST", "CONNECTION_NOT_FOUND"],
  handle: async (ctx: Ctx, request) => probeConnection(ctx, callerOf(request), request.params.id),
});

const githubRoute = defineRoute({
  method: "POST",
  url: "/connections/:id/github",
  operationId: "receiveGithubWebhook",
  summary: "Receive a webhook of a GitHub App",
  description:
    "GitHub calls this route, with the signature of the body in `X-Hub-Signature-256`. A deployment that waits becomes a task.",
  tags,
  params: ConnectionParams,
  answers: { 200: Type.Unsafe<ReceivedWebhook>(Type.Ref("ReceivedWebhook")) },
  errors: [
    "CONNECTION_NOT_FOUND",
    "INVALID_GITHUB_SIGNATURE",
    "MALFORMED_REQUEST",
    "VALIDATION_FAILED",
    "PAYLOAD_TOO_LARGE",
    "AGENT_DISABLED",
    "AGENT_LIMIT",
    "RECIPIENT_NOT_ALLOWED",
    "APPROVALS_NEED_ACTION",
    "PROJECT_ARCHIVED",
    "COMMIT_UNKNOWN",
    "OVERLOADED",
  ],
  config: () => ({ skipSameOrigin: true }),
  handle: async (ctx: WebhookContext, { params, headers, body }) =>
    receiveGithub(ctx, params.id, { headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) }),
});

const webhookRoutes = mount([githubRoute]);

/** Engines that wait for tasks. (beyond the spec: Resuming) */
export const connectionRoutes: FastifyPluginAsync<{ ctx: Ctx & WebhookContext }> = async (app, options) => {
  await mount<Ctx>([listRoute, kindsRoute, createRoute, getRoute, updateRoute, deleteRoute, probeRoute])(app, options);
  await app.register(async (inner) => {
    // The signature is over the bytes as they came.
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: DELIVERY_MAX_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    await webhookRoutes(inner, options);
  });
};

/** Shapes that other shapes refer to by name. */
export const connectionShapes = [
  ConnectionKind,
  ConnectionRecord,
  CreateConnectionBody,
  UpdateConnectionBody,
  ProbeResult,
  ReceivedWebhook,
];
