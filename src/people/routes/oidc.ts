import type { FastifyReply, FastifyRequest } from "fastify";
import { defineRoute, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { Type } from "../../lib/type.ts";
import { browserOf } from "../browser.ts";
import { callerOf } from "../caller.ts";
import { checkProvider } from "../oidc/check.ts";
import { createBegunCookies, returnPath } from "../oidc/begun.ts";
import { failurePage, sendFailurePage } from "../oidc/failure-page.ts";
import { beginOidc, completeOidc, type Attempt, type OidcContext, type Step } from "../oidc/sign-in.ts";
import type { ProviderCheck } from "../schema.ts";

const tags = ["Sign-in"];
/** Of both routes, whose errors are pages. */
const FAILURES = ["OIDC_NOT_CONFIGURED", "OIDC_PROVIDER_ERROR", "OIDC_PROVIDER_UNAVAILABLE"] as const;

/** What the routes read of a query. Unexpected values are ignored, because every failure is a page. */
function queryOf({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start + 1));
}

function redirect(reply: FastifyReply, { location, setCookies }: Step): FastifyReply {
  return reply.header("set-cookie", setCookies).header("cache-control", "no-store").redirect(location, 302);
}

export const beginOidcRoute = defineRoute({
  method: "GET",
  url: "/auth/oidc/start",
  operationId: "beginOidcSignIn",
  summary: "Sign in with a company account",
  description:
    "Open it in a browser. It goes to the sign-in provider, and then to `return_to`. A failure is a page that says what to do.",
  tags,
  querystring: Type.Object({
    return_to: Type.Optional(
      Type.String({ description: "A path of this service, to open at the end. Others are ignored." }),
    ),
    confirm: Type.Optional(
      Type.String({ description: "`1`: confirms the session, for routes that answer 403 `CONFIRMATION_REQUIRED`." }),
    ),
  }),
  attachValidation: true,
  exposeHeadRoute: false,
  answers: { 302: Type.Null({ description: "Redirect to the provider." }) },
  errors: FAILURES,
  errorsArePages: true,
  config: () => ({
    resolveCaller: true,
    allowsLimitedSession: true,
    errorPage: (error, requestId) => failurePage(error, requestId),
  }),
  handle: async (ctx: OidcContext, request, reply) => {
    const query = queryOf(request);
    const returnTo = query.get("return_to");
    const isConfirmation = query.get("confirm") === "1";
    let step: Step;
    try {
      step = await beginOidc(ctx, request.caller, { returnTo, isConfirmation });
    } catch (error) {
      const session = isConfirmation && request.caller?.kind === "user" ? request.caller.session : null;
      const begun = { returnTo: returnPath(returnTo, ctx.config.publicUrl), session };
      return sendFailurePage(ctx, request, reply, error, begun);
    }
    return redirect(reply, step);
  },
});

export const completeOidcRoute = defineRoute({
  method: "GET",
  url: "/auth/oidc/callback",
  operationId: "completeOidcSignIn",
  summary: "Complete a sign-in with a company account",
  description:
    "The provider sends the browser here. Its answer is valid once, for ten minutes, in the browser that began. A failure is a page that says what to do.",
  tags,
  querystring: Type.Object({
    state: Type.Optional(Type.String({ description: "Ties the answer to the browser that began." })),
    code: Type.Optional(Type.String({ description: "For one exchange into an ID token." })),
    iss: Type.Optional(Type.String({ description: "The provider that answers." })),
    error: Type.Optional(Type.String({ description: "Why the provider did not sign the person in." })),
  }),
  attachValidation: true,
  exposeHeadRoute: false,
  answers: { 302: Type.Null({ description: "Signed in. Redirect to the page that was asked for." }) },
  errors: [
    ...FAILURES,
    "OIDC_SIGN_IN_EXPIRED",
    "OIDC_SIGN_IN_REFUSED",
    "OIDC_EMAIL_NOT_VERIFIED",
    "OIDC_PERSON_UNKNOWN",
    "OIDC_PERSON_DEACTIVATED",
    "OIDC_CONFIRMATION_FAILED",
    "OIDC_OTHER_ACCOUNT_LINKED",
    "OIDC_TOKEN_INVALID",
    "OVERLOADED",
    "COMMIT_UNKNOWN",
  ],
  errorsArePages: true,
  config: () => ({
    resolveCaller: true,
    allowsLimitedSession: true,
    errorPage: (error, requestId) => failurePage(error, requestId),
  }),
  handle: async (ctx: OidcContext, request, reply) => {
    const attempt: Attempt = { begun: null, identity: null };
    const browser = browserOf(request, ctx.cookies);
    let step: Step;
    try {
      step = await completeOidc(ctx, request.caller, browser, queryOf(request), attempt);
    } catch (error) {
      const type = attempt.begun?.session == null ? "sign_in" : "identity_confirmed";
      request.securityFailure = { type, email: attempt.identity?.claimedEmail ?? null };
      void reply.header("set-cookie", createBegunCookies(ctx.config).forget);
      return sendFailurePage(ctx, request, reply, error, attempt.begun);
    }
    return redirect(reply, step);
  },
});

export const checkProviderRoute = defineRoute({
  method: "POST",
  url: "/auth/oidc/check",
  operationId: "checkOidcProvider",
  summary: "Test the sign-in provider",
  description:
    "Reads what the provider says of itself and its keys, and tries the client's secret. Signs no one in. For operators and the admin token.",
  tags,
  credentials: SIGNED_IN,
  answers: { 200: Type.Unsafe<ProviderCheck>(Type.Ref("OidcProviderCheck")) },
  errors: [...WRITE_ERRORS, "OIDC_NOT_CONFIGURED"],
  handle: async (ctx: OidcContext, request) => checkProvider(ctx, callerOf(request)),
});
