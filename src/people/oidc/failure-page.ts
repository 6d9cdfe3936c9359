import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { ServiceError, type ErrorCode } from "../../errors.ts";
import { logFailure, sendPage, toServiceError } from "../../http/error-response.ts";
import { escapeHtml, renderPage } from "../../http/page.ts";
import type { Begun } from "./begun.ts";

/** What a page says besides the message of its error: a title, and what to do. */
interface Words {
  title: string;
  next: string;
}

const NOT_SIGNED_IN = "You are not signed in";
const AGAIN = "Start again below.";

const WORDS: Partial<Record<ErrorCode, Words>> = {
  OIDC_NOT_CONFIGURED: { title: NOT_SIGNED_IN, next: "Go to the sign-in page to see how you can sign in." },
  OIDC_SIGN_IN_EXPIRED: { title: NOT_SIGNED_IN, next: `${AGAIN} If it happens again, allow cookies for this site.` },
  OIDC_SIGN_IN_REFUSED: {
    title: NOT_SIGNED_IN,
    next: `${AGAIN} If you may not use this application, ask your IT department.`,
  },
  OIDC_EMAIL_NOT_VERIFIED: {
    title: NOT_SIGNED_IN,
    next: "Verify the email of your company account, or ask your IT department to do it. Then start again.",
  },
  OIDC_PERSON_UNKNOWN: { title: NOT_SIGNED_IN, next: "When an operator has added you, start again." },
  OIDC_PERSON_DEACTIVATED: { title: NOT_SIGNED_IN, next: "Your earlier answers are kept." },
  OIDC_OTHER_ACCOUNT_LINKED: {
    title: NOT_SIGNED_IN,
    next: "If your company account was replaced, ask an operator to remove the old one under People, Edit. Then start again.",
  },
  OIDC_CONFIRMATION_FAILED: {
    title: "You are not confirmed",
    next: "Nothing was changed. You can go back and try again.",
  },
  OIDC_TOKEN_INVALID: { title: NOT_SIGNED_IN, next: `${AGAIN} If it happens again, give an operator the request id.` },
  OIDC_PROVIDER_ERROR: { title: NOT_SIGNED_IN, next: `${AGAIN} If it happens again, give an operator the request id.` },
  OIDC_PROVIDER_UNAVAILABLE: { title: NOT_SIGNED_IN, next: "Wait a moment, then start again." },
};

const OTHERWISE: Words = {
  title: "Something went wrong",
  next: "Try again in a moment. If it happens again, give an operator the request id.",
};

/** Answers with a page that says what happened and what to do. @param begun - what failed; null if unknown */
export function sendFailurePage(
  ctx: { config: Config; log: Logger },
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  begun: Pick<Begun, "returnTo" | "session"> | null,
): FastifyReply {
  const error = toServiceError(thrown instanceof Error ? thrown : new ServiceError("INTERNAL", { cause: thrown }));
  request.errorCode = error.code;
  logFailure(ctx, request, error);
  if (error.status === 503) void reply.header("retry-after", error.retryAfter ?? 1);
  return sendPage(reply.header("cache-control", "no-store"), error.status, failurePage(error, request.id, begun));
}

/** @param begun - null if unknown */
export function failurePage(
  { code, message }: ServiceError,
  requestId: string,
  begun: Pick<Begun, "returnTo" | "session"> | null = null,
): string {
  const { title, next } = WORDS[code] ?? OTHERWISE;
  const links =
    begun?.session == null ? linksToSignIn(code, begun?.returnTo ?? null) : [link(begun.returnTo, "Go back")];
  return renderPage({
    title: `${title} - Human Task Service`,
    body: `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(message)}</p>
<p>${escapeHtml(next)}</p>
<p>${links.join(" &nbsp; ")}</p>
<p class="muted">For operators: <a href="/docs/troubleshooting#${code}"><code>${code}</code></a>, request <code>${escapeHtml(requestId)}</code></p>`,
  });
}

function linksToSignIn(code: ErrorCode, returnTo: string | null): string[] {
  const toLogin = link(returnTo === null ? "/login" : `/login?to=${encodeURIComponent(returnTo)}`, "Sign-in page");
  if (code === "OIDC_NOT_CONFIGURED") return [toLogin];
  const query = returnTo === null ? "" : `?return_to=${encodeURIComponent(returnTo)}`;
  return [link(`/api/auth/oidc/start${query}`, "Start again"), toLogin];
}

function link(address: string, text: string): string {
  return `<a href="${escapeHtml(address)}">${text}</a>`;
}
