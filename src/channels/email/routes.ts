import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import type { Db } from "../../db/database.ts";
import type { Config } from "../../config.ts";
import type { Logger } from "pino";
import { errors } from "../../http/schema.ts";
import { callerOf } from "../../people/caller.ts";
import { deleteIdentity, listIdentities, readIdentity, setIdentity, testIdentity } from "./identities.ts";
import type { IdentityBody, IdentityRecord, TestMailBody, TestMailResult } from "./schema.ts";

const tags = ["channels"];
const security = [{ bearer: [] }, { session: [] }];
const params = Type.Object({ id: Type.String({ description: "The identity's id." }) });
const Identity = Type.Unsafe<IdentityRecord>(Type.Ref("EmailIdentity"));

/** Whom mail is from. (wire: Email identities) */
export const emailRoutes: FastifyPluginAsyncTypebox<{ ctx: { db: Db; config: Config; log: Logger } }> = async (
  app,
  { ctx },
) => {
  app.get(
    "/identities",
    {
      schema: {
        operationId: "listEmailIdentities",
        summary: "List sender identities",
        description: "By id, all of them; the one that `SERVICE_EMAIL_FROM` makes is called `default` and comes first.",
        tags,
        security,
        response: {
          200: Type.Unsafe<IdentityRecord[]>({
            type: "array",
            items: Type.Ref("EmailIdentity"),
            description: "The identities.",
          }),
          ...errors("UNAUTHENTICATED", "FORBIDDEN"),
        },
      },
    },
    async (request) => listIdentities(ctx, callerOf(request)),
  );

  app.post(
    "/identities",
    {
      schema: {
        operationId: "setEmailIdentity",
        summary: "Make or change a sender identity",
        description:
          "Whatever is left out is cleared, but `transport_config`, which is kept. It is sealed, and never returned.",
        tags,
        security,
        body: Type.Unsafe<IdentityBody>(Type.Ref("SetEmailIdentity")),
        response: {
          200: Identity,
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
    async (request) => setIdentity(ctx, callerOf(request), request.body),
  );

  app.get(
    "/identities/:id",
    {
      schema: {
        operationId: "getEmailIdentity",
        summary: "Read a sender identity",
        tags,
        security,
        params,
        response: { 200: Identity, ...errors("UNAUTHENTICATED", "FORBIDDEN", "NOT_FOUND") },
      },
    },
    async (request) => readIdentity(ctx, callerOf(request), request.params.id),
  );

  app.delete(
    "/identities/:id",
    {
      schema: {
        operationId: "deleteEmailIdentity",
        summary: "Delete a sender identity",
        tags,
        security,
        params,
        response: {
          204: Type.Null({ description: "It is gone." }),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "NOT_FOUND",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async (request, reply) => {
      await deleteIdentity(ctx, callerOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/identities/:id/test",
    {
      schema: {
        operationId: "testEmailIdentity",
        summary: "Send a test mail",
        description: "Answers once the transport has taken the mail or refused it, which `sent` says.",
        tags,
        security,
        params,
        body: Type.Unsafe<TestMailBody>(Type.Ref("TestEmailIdentity")),
        response: {
          200: Type.Unsafe<TestMailResult>(Type.Ref("TestEmailResult")),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "NOT_FOUND",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
          ),
        },
      },
    },
    async (request) => testIdentity(ctx, callerOf(request), request.params.id, request.body),
  );
};
