import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { errors } from "../http/schema.ts";
import { actionRoutes } from "./action/routes.ts";
import { callerOf } from "../people/caller.ts";
import { createMailDoor } from "./email/links.ts";
import { createSlackDoor } from "./slack/links.ts";
import { slackRoutes } from "./slack/routes.ts";
import { deleteIdentity, listIdentities, readIdentity, setIdentity, testIdentity } from "./email/identities.ts";
import {
  emailShapes,
  type IdentityBody,
  type IdentityRecord,
  type TestMailBody,
  type TestMailResult,
} from "./email/schema.ts";
import { slackShapes } from "./slack/schema.ts";

/** Shapes that other shapes refer to by name. */
export const channelShapes = [...emailShapes, ...slackShapes];

const tags = ["channels"];
const security = [{ bearer: [] }, { session: [] }];
const params = Type.Object({ id: Type.String({ description: "The identity's id." }) });
const Identity = Type.Unsafe<IdentityRecord>(Type.Ref("EmailIdentity"));

/** Whom mail is from, and what its links open. (spec: Channels; wire: Email identities) */
export const channelRoutes: FastifyPluginAsyncTypebox<{ ctx: Context; head: string | null }> = async (
  app,
  { ctx, head },
) => {
  await app.register(actionRoutes, { ctx, head, door: createMailDoor(ctx), prefix: "/email/action" });
  await app.register(actionRoutes, { ctx, head, door: createSlackDoor(ctx, ctx.slack), prefix: "/slack/action" });
  await app.register(slackRoutes, { ctx, prefix: "/slack" });
  app.get(
    "/email/identities",
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
    "/email/identities",
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
    "/email/identities/:id",
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
    "/email/identities/:id",
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
    "/email/identities/:id/test",
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
