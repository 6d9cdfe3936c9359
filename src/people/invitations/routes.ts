import type { Db } from "../../db/database.ts";
import { forReader } from "../../http/language.ts";
import { defineRoute, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { browserOf } from "../browser.ts";
import { callerOf } from "../caller.ts";
import { SESSION_HEADERS, UserParams, type Me } from "../schema.ts";
import type { SignInContext } from "../sign-in.ts";
import {
  acceptInvitation,
  createInvitation,
  openInvitation,
  revokeInvitation,
  type InvitingContext,
} from "./invitations.ts";
import type {
  AcceptInvitationBody,
  CreateInvitationBody,
  NewInvitationRecord,
  OpenedInvitation,
  OpenInvitationBody,
} from "./schema.ts";
import { Type } from "../../lib/type.ts";

const createInvitationRoute = defineRoute({
  method: "POST",
  url: "/users/:id/invitation",
  operationId: "createInvitation",
  summary: "Create a link by which a user sets their own password",
  description:
    "For a new user it is an invitation, and for one with a password a reset. It works once, and an older link of the user stops working. It is mailed if there is an email sender. Otherwise it is in the response, which shows it only once.",
  tags: ["Users"],
  credentials: SIGNED_IN,
  needsConfirmation: true,
  config: () => ({ securityEvent: "user_invitation_created" }),
  params: UserParams,
  body: Type.Unsafe<CreateInvitationBody>(Type.Ref("CreateInvitation")),
  answers: { 201: Type.Unsafe<NewInvitationRecord>(Type.Ref("NewInvitation")) },
  errors: [...WRITE_ERRORS, "USER_NOT_FOUND", "USER_CANNOT_BE_INVITED", "PASSWORD_SIGN_IN_OFF", "VALIDATION_FAILED"],
  handle: async (ctx: InvitingContext, request, reply) => {
    const caller = callerOf(request);
    const chosen = caller.kind === "user" ? caller.user.language : null;
    const invitation = await forReader(request, { chosen }, () =>
      createInvitation(ctx, caller, request.params.id, request.body),
    );
    void reply.header("cache-control", "no-store");
    return reply.code(201).send(invitation);
  },
});

const revokeInvitationRoute = defineRoute({
  method: "DELETE",
  url: "/users/:id/invitation",
  operationId: "revokeInvitation",
  summary: "Revoke the link of a user",
  description: "Takes effect immediately. The user and their password stay as they are.",
  tags: ["Users"],
  credentials: SIGNED_IN,
  needsConfirmation: true,
  config: () => ({ securityEvent: "user_invitation_revoked" }),
  params: UserParams,
  answers: { 204: Type.Null({ description: "Revoked." }) },
  errors: [...WRITE_ERRORS, "USER_NOT_FOUND", "NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    await revokeInvitation(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

const ERRORS_OF_LINKS = [
  "MALFORMED_REQUEST",
  "FORBIDDEN",
  "INVITATION_INVALID",
  "PASSWORD_SIGN_IN_OFF",
  "PAYLOAD_TOO_LARGE",
  "VALIDATION_FAILED",
  "RATE_LIMITED",
  "COMMIT_UNKNOWN",
] as const;

const openInvitationRoute = defineRoute({
  method: "POST",
  url: "/invitation",
  operationId: "openInvitation",
  summary: "Read what a link is for",
  description:
    "For the page that an invitation opens. The token is in the body, so that it is in no log. Twenty tries in five minutes are allowed from one address.",
  tags: ["Sign-in"],
  config: () => ({ securityEvent: "user_invitation_accepted" }),
  body: Type.Unsafe<OpenInvitationBody>(Type.Ref("OpenInvitation")),
  answers: { 200: Type.Unsafe<OpenedInvitation>(Type.Ref("OpenedInvitation")) },
  errors: ERRORS_OF_LINKS,
  handle: async (ctx: SignInContext, request, reply) => {
    void reply.header("cache-control", "no-store");
    return openInvitation(ctx, browserOf(request, ctx.cookies), request.body);
  },
});

const acceptInvitationRoute = defineRoute({
  method: "POST",
  url: "/invitation/accept",
  operationId: "acceptInvitation",
  summary: "Set your password with a link",
  description: "Works once. It ends your sessions, revokes your personal tokens, and sets the cookie of a new session.",
  tags: ["Sign-in"],
  config: () => ({ securityEvent: "user_invitation_accepted" }),
  body: Type.Unsafe<AcceptInvitationBody>(Type.Ref("AcceptInvitation")),
  answers: { 200: Type.Unsafe<Me>({ ...Type.Ref("Me"), headers: SESSION_HEADERS }) },
  errors: [...ERRORS_OF_LINKS, "OVERLOADED"],
  handle: async (ctx: SignInContext, request, reply) => {
    const { me, setCookies } = await acceptInvitation(ctx, browserOf(request, ctx.cookies), request.body);
    void reply.header("set-cookie", setCookies).header("cache-control", "no-store");
    return me;
  },
});

export const invitationRoutes = [
  createInvitationRoute,
  revokeInvitationRoute,
  openInvitationRoute,
  acceptInvitationRoute,
];
