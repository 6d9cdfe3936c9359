import type { Config } from "../../config.ts";
import type { Db } from "../../db/database.ts";
import type { Logger } from "pino";
import { InProjectQuery } from "../../http/schema.ts";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { Type } from "../../lib/type.ts";
import { callerOf } from "../../people/caller.ts";
import { deleteIdentity, listIdentities, readIdentity, setIdentity, testIdentity } from "./identities.ts";
import type { IdentityBody, IdentityRecord, TestMailBody, TestMailResult } from "./schema.ts";

interface EmailContext {
  db: Db;
  config: Config;
  log: Logger;
}

const tags = ["Channels"];
const params = Type.Object({ id: Type.String({ description: "Identity id." }) });
const Identity = Type.Unsafe<IdentityRecord>(Type.Ref("EmailIdentity"));

const listEmailIdentitiesRoute = defineRoute({
  method: "GET",
  url: "/identities",
  operationId: "listEmailIdentities",
  summary: "List email senders",
  description: "All senders, by id. The sender of `SERVICE_EMAIL_FROM` is called `default` and comes first.",
  tags,
  credentials: SIGNED_IN,
  querystring: InProjectQuery,
  answers: {
    200: Type.Unsafe<IdentityRecord[]>({
      type: "array",
      items: Type.Ref("EmailIdentity"),
      description: "The senders.",
    }),
  },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: EmailContext, request) => listIdentities(ctx, callerOf(request), request.query.project),
});

const setEmailIdentityRoute = defineRoute({
  method: "POST",
  url: "/identities",
  operationId: "setEmailIdentity",
  summary: "Create or change an email sender",
  description:
    "Omitted fields are cleared, except `transport_config`, which is kept. It is stored encrypted and never returned.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  body: Type.Unsafe<IdentityBody>(Type.Ref("SetEmailIdentity")),
  answers: { 200: Identity },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_ARCHIVED"],
  config: () => ({
    securityEvent: (_body, { isChange }) => (isChange === true ? "email_sender_changed" : "email_sender_created"),
  }),
  handle: async (ctx: EmailContext, request) => setIdentity(ctx, callerOf(request), request.body),
});

const getEmailIdentityRoute = defineRoute({
  method: "GET",
  url: "/identities/:id",
  operationId: "getEmailIdentity",
  summary: "Read an email sender",
  description: "One sender, without the secrets of its transport.",
  tags,
  credentials: SIGNED_IN,
  params,
  answers: { 200: Identity },
  errors: [...READ_ERRORS, "NOT_FOUND"],
  handle: async (ctx: EmailContext, request) => readIdentity(ctx, callerOf(request), request.params.id),
});

const deleteEmailIdentityRoute = defineRoute({
  method: "DELETE",
  url: "/identities/:id",
  operationId: "deleteEmailIdentity",
  summary: "Delete an email sender",
  description: "Removes the sender. Emails that it has yet to send fail with `no_identity`.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params,
  answers: { 204: Type.Null({ description: "Deleted." }) },
  errors: [...WRITE_ERRORS, "NOT_FOUND", "VALIDATION_FAILED"],
  config: () => ({ securityEvent: "email_sender_deleted" }),
  handle: async (ctx: EmailContext, request, reply) => {
    await deleteIdentity(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

const testEmailIdentityRoute = defineRoute({
  method: "POST",
  url: "/identities/:id/test",
  operationId: "testEmailIdentity",
  summary: "Send a test email",
  description: "Returns when the transport has accepted or rejected the email. `sent` says which.",
  tags,
  credentials: SIGNED_IN,
  params,
  body: Type.Unsafe<TestMailBody>(Type.Ref("TestEmailIdentity")),
  answers: { 200: Type.Unsafe<TestMailResult>(Type.Ref("TestEmailResult")) },
  errors: [...READ_ERRORS, "MALFORMED_REQUEST", "NOT_FOUND", "PAYLOAD_TOO_LARGE", "VALIDATION_FAILED"],
  config: () => ({ securityEvent: "email_sender_tested" }),
  handle: async (ctx: EmailContext, request) => testIdentity(ctx, callerOf(request), request.params.id, request.body),
});

/** Routes of email senders. (wire: Email identities) */
export const emailRoutes = mount([
  listEmailIdentitiesRoute,
  setEmailIdentityRoute,
  getEmailIdentityRoute,
  deleteEmailIdentityRoute,
  testEmailIdentityRoute,
]);
