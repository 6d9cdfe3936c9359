import type { Db } from "../../db/database.ts";
import { defineRoute, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { Type } from "../../lib/type.ts";
import { browserOf } from "../browser.ts";
import { callerOf } from "../caller.ts";
import { confirm, confirmOptions, listConfirmationWays } from "../confirmation.ts";
import { PASSKEY_ERRORS } from "../passkeys/routes.ts";
import type { PasskeyRequestOptions } from "../passkeys/schema.ts";
import { SESSION_HEADERS, UserParams, type Me } from "../schema.ts";
import { endOtherSessions, endOwnSession, endSessionsOfUser, listSessions } from "../session-list.ts";
import { SessionParams, type ConfirmationWays, type ConfirmBody, type SessionRecord } from "../session-schema.ts";
import type { Cookies } from "../sessions.ts";
import type { SignInContext } from "../sign-in.ts";

const tags = ["Sign-in"];

export const confirmRoute = defineRoute({
  method: "POST",
  url: "/auth/confirm",
  operationId: "confirmIdentity",
  summary: "Confirm that it's you",
  description:
    "Send your password, or the answer of a passkey as `credential`. For ten minutes, your session may then call routes that answer 403 `CONFIRMATION_REQUIRED` without it. The session gets a new cookie.",
  tags,
  credentials: ["session"],
  config: () => ({
    allowsLimitedSession: true,
    securityEvent: (body) => (isPasskey(body) ? "identity_confirmed" : "password_confirmed"),
  }),
  body: Type.Unsafe<ConfirmBody>(Type.Ref("Confirm")),
  answers: { 200: Type.Unsafe<Me>({ ...Type.Ref("Me"), headers: SESSION_HEADERS }) },
  errors: [
    ...WRITE_ERRORS,
    "PASSWORD_SIGN_IN_OFF",
    "PASSKEY_REQUIRED",
    "PASSKEY_NOT_ACCEPTED",
    ...PASSKEY_ERRORS,
    "OVERLOADED",
  ],
  handle: async (ctx: SignInContext, request, reply) => {
    const { me, setCookies } = await confirm(ctx, callerOf(request), browserOf(request, ctx.cookies), request.body);
    void reply.header("set-cookie", setCookies);
    return me;
  },
});

function isPasskey(body: unknown): boolean {
  return (body as { credential?: unknown } | null | undefined)?.credential !== undefined;
}

export const confirmOptionsRoute = defineRoute({
  method: "POST",
  url: "/auth/confirm/options",
  operationId: "getConfirmOptions",
  summary: "Begin to confirm with a passkey",
  description: "Returns what a browser needs to ask for one of your passkeys.",
  tags,
  credentials: ["session"],
  config: () => ({ allowsLimitedSession: true }),
  answers: { 200: Type.Unsafe<PasskeyRequestOptions>(Type.Ref("PasskeyRequestOptions")) },
  errors: WRITE_ERRORS,
  handle: async (ctx: SignInContext, request) => confirmOptions(ctx, callerOf(request)),
});

export const listConfirmationWaysRoute = defineRoute({
  method: "GET",
  url: "/auth/confirm",
  operationId: "listConfirmationWays",
  summary: "List how you can confirm that it is you",
  description: "Routes that answer 403 `CONFIRMATION_REQUIRED` need one of these first. Empty: ask an operator.",
  tags,
  credentials: ["session"],
  config: () => ({ allowsLimitedSession: true }),
  answers: { 200: Type.Unsafe<ConfirmationWays>(Type.Ref("ConfirmationWays")) },
  errors: READ_ERRORS,
  handle: async (ctx: SignInContext, request) => ({ ways: await listConfirmationWays(ctx, callerOf(request)) }),
});

export const listSessionsRoute = defineRoute({
  method: "GET",
  url: "/auth/sessions",
  operationId: "listSessions",
  summary: "List your sessions",
  description: "The most recently used first, at most 200.",
  tags,
  credentials: ["session"],
  answers: {
    200: Type.Unsafe<SessionRecord[]>({ type: "array", items: Type.Ref("Session"), description: "Your sessions." }),
  },
  errors: READ_ERRORS,
  handle: async (ctx: { db: Db }, request) => listSessions(ctx, callerOf(request)),
});

export const endSessionRoute = defineRoute({
  method: "DELETE",
  url: "/auth/sessions/:id",
  operationId: "endSession",
  summary: "End one of your sessions",
  description: "Takes effect immediately.",
  tags,
  credentials: ["session"],
  needsConfirmation: true,
  config: () => ({ securityEvent: "sessions_ended" }),
  params: SessionParams,
  answers: { 204: Type.Null({ description: "Ended." }) },
  errors: [...WRITE_ERRORS, "NOT_FOUND"],
  handle: async (ctx: { db: Db; cookies: Cookies }, request, reply) => {
    const isCurrent = await endOwnSession(ctx, callerOf(request), request.params.id);
    if (isCurrent) void reply.header("set-cookie", ctx.cookies.forget);
    return reply.code(204).send(null);
  },
});

export const endOtherSessionsRoute = defineRoute({
  method: "DELETE",
  url: "/auth/sessions",
  operationId: "endOtherSessions",
  summary: "End all your other sessions",
  description: "The session of this request goes on.",
  tags,
  credentials: ["session"],
  needsConfirmation: true,
  config: () => ({ securityEvent: "sessions_ended" }),
  answers: { 204: Type.Null({ description: "Ended." }) },
  errors: WRITE_ERRORS,
  handle: async (ctx: { db: Db }, request, reply) => {
    await endOtherSessions(ctx, callerOf(request));
    return reply.code(204).send(null);
  },
});

export const endUserSessionsRoute = defineRoute({
  method: "DELETE",
  url: "/users/:id/sessions",
  operationId: "endUserSessions",
  summary: "Sign a user out everywhere",
  description:
    "Ends all sessions of the user immediately, and revokes their personal tokens. The user can sign in again.",
  tags: ["Users"],
  credentials: SIGNED_IN,
  needsConfirmation: true,
  config: () => ({ securityEvent: "sessions_ended" }),
  params: UserParams,
  answers: { 204: Type.Null({ description: "Signed out." }) },
  errors: [...WRITE_ERRORS, "USER_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    await endSessionsOfUser(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});
