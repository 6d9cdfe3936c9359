import type { Db } from "../../db/database.ts";
import { linkToNext } from "../../http/paging.ts";
import { pageOf } from "../../http/schema.ts";
import { defineRoute, QUERY_ERRORS, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { Type } from "../../lib/type.ts";
import { callerOf } from "../caller.ts";
import {
  ListServiceKeysQuery,
  ServiceKeyParams,
  type CreateServiceKeyBody,
  type NewServiceKeyRecord,
  type ServiceKeyRecord,
} from "../schema.ts";
import { createServiceKey, listServiceKeys, revokeServiceKey } from "../service-keys.ts";

const tags = ["Embed keys"];

export const listServiceKeysRoute = defineRoute({
  method: "GET",
  url: "/service-keys",
  operationId: "listServiceKeys",
  summary: "List embed keys",
  description: "Newest first, including revoked keys. The service does not store the keys themselves.",
  tags,
  credentials: SIGNED_IN,
  querystring: ListServiceKeysQuery,
  answers: {
    200: pageOf<ServiceKeyRecord>("ServiceKey", "One page of keys."),
  },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const { rows, next } = await listServiceKeys(ctx, callerOf(request), request.query);
    if (next !== null) void reply.header("link", linkToNext("/api/service-keys", request.url, next));
    return rows;
  },
});

export const createServiceKeyRoute = defineRoute({
  method: "POST",
  url: "/service-keys",
  operationId: "createServiceKey",
  summary: "Create an embed key",
  description: "Only this response contains `key`.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  body: Type.Unsafe<CreateServiceKeyBody>(Type.Ref("CreateServiceKey")),
  answers: { 201: Type.Unsafe<NewServiceKeyRecord>(Type.Ref("NewServiceKey")) },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_ARCHIVED"],
  config: () => ({ securityEvent: "embed_key_created" }),
  handle: async (ctx: { db: Db }, request, reply) =>
    reply.code(201).send(await createServiceKey(ctx, callerOf(request), request.body)),
});

export const revokeServiceKeyRoute = defineRoute({
  method: "DELETE",
  url: "/service-keys/:id",
  operationId: "revokeServiceKey",
  summary: "Revoke an embed key",
  description: "Takes effect immediately, also for embed tokens that the key created.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: ServiceKeyParams,
  answers: { 204: Type.Null({ description: "Revoked." }) },
  errors: [...WRITE_ERRORS, "NOT_FOUND"],
  config: () => ({ securityEvent: "embed_key_revoked" }),
  handle: async (ctx: { db: Db }, request, reply) => {
    await revokeServiceKey(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});
