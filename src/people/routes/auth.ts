import { defineRoute, WRITE_ERRORS } from "../../http/route.ts";
import { Type } from "../../lib/type.ts";
import { browserOf } from "../browser.ts";
import { callerOf } from "../caller.ts";
import { SESSION_HEADERS, type LoginBody, type Me, type UpdateMeBody } from "../schema.ts";
import { changeMe, readMe, renewDevice, signIn, signOut, type SignInContext } from "../sign-in.ts";

const tags = ["Sign-in"];

export const signInRoute = defineRoute({
  method: "POST",
  url: "/auth/login",
  operationId: "signIn",
  summary: "Sign in",
  description:
    "Checks email and password, and sets the session cookie. Ten tries in five minutes are allowed from one address.",
  tags,
  body: Type.Unsafe<LoginBody>(Type.Ref("Login")),
  answers: { 200: Type.Unsafe<Me>({ ...Type.Ref("Me"), headers: SESSION_HEADERS }) },
  errors: [
    "MALFORMED_REQUEST",
    "INVALID_CREDENTIALS",
    "FORBIDDEN",
    "PASSWORD_SIGN_IN_OFF",
    "PASSKEY_REQUIRED",
    "PAYLOAD_TOO_LARGE",
    "VALIDATION_FAILED",
    "RATE_LIMITED",
    "COMMIT_UNKNOWN",
    "OVERLOADED",
  ],
  config: () => ({ securityEvent: "sign_in" }),
  handle: async (ctx: SignInContext, request, reply) => {
    const { me, setCookies } = await signIn(ctx, browserOf(request, ctx.cookies), request.body);
    void reply.header("set-cookie", setCookies).header("cache-control", "no-store");
    return me;
  },
});

export const signOutRoute = defineRoute({
  method: "POST",
  url: "/auth/logout",
  operationId: "signOut",
  summary: "Sign out",
  description: "Ends the session, and clears what the pages stored in the browser. Succeeds without a session too.",
  tags,
  answers: { 204: Type.Null({ description: "Signed out." }) },
  errors: ["MALFORMED_REQUEST", "FORBIDDEN", "PAYLOAD_TOO_LARGE", "COMMIT_UNKNOWN"],
  config: () => ({ resolveCaller: true, allowsLimitedSession: true }),
  handle: async (ctx: SignInContext, request, reply) => {
    await signOut(ctx, request.caller);
    return reply.code(204).headers({ "set-cookie": ctx.cookies.forget, "clear-site-data": '"storage"' }).send(null);
  },
});

export const getMeRoute = defineRoute({
  method: "GET",
  url: "/auth/me",
  operationId: "getMe",
  summary: "Who is signed in?",
  description: "Always 200. `authenticated` is false without a session.",
  tags,
  answers: { 200: Type.Unsafe<Me>(Type.Ref("Me")) },
  errors: [],
  config: () => ({ resolveCaller: true, allowsLimitedSession: true }),
  handle: async (ctx: Pick<SignInContext, "db" | "devices">, request, reply) => {
    void reply.header("cache-control", "no-store");
    const setCookie = renewDevice(ctx, request.caller, request.headers.cookie);
    if (setCookie !== null) void reply.header("set-cookie", setCookie);
    return readMe(request.caller, ctx.db.now());
  },
});

export const updateMeRoute = defineRoute({
  method: "PATCH",
  url: "/auth/me",
  operationId: "updateMe",
  summary: "Change your own name, time zone or password",
  description: "A new password needs the current one. It ends your other sessions, and revokes your personal tokens.",
  tags,
  credentials: ["session"],
  body: Type.Unsafe<UpdateMeBody>(Type.Ref("UpdateMe")),
  answers: { 200: Type.Unsafe<Me>(Type.Ref("Me")) },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "RATE_LIMITED", "OVERLOADED"],
  config: () => ({ securityEvent: (body) => (isPasswordChange(body) ? "password_changed" : null) }),
  handle: async (ctx: SignInContext, request, reply) => {
    const { me, setCookie } = await changeMe(ctx, callerOf(request), browserOf(request, ctx.cookies), request.body);
    if (setCookie !== null) void reply.header("set-cookie", setCookie);
    return me;
  },
});

function isPasswordChange(body: unknown): boolean {
  return (body as { password?: unknown } | null | undefined)?.password != null;
}
