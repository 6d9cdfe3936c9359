import type { FastifyRequest } from "fastify";
import type { FailureNote } from "../errors.ts";
import { isEmailAddress } from "../lib/text.ts";
import { targetKindOf, type SecurityEventType } from "./catalogue.ts";
import type { SecurityEvent } from "./record.ts";

type Target = Exclude<SecurityEvent["target"], undefined>;

/** What failed, and why. */
export interface Failure {
  type: SecurityEventType;
  /** The error code of the response, or the one that says more. */
  reason: string;
  /** The email that the request gave: of a caller who is not known, their own. */
  email: string | null;
  /** What the path of the request names. */
  target: Target;
  route: string;
}

/**
 * Returns what the security log says of a response; null if it says nothing.
 * @param isKnown - whether the caller of the request is known
 * @param code - of the error, if it is one of several in the response
 */
export function failureOf(
  request: FastifyRequest,
  status: number,
  isKnown: boolean,
  code = request.errorCode,
): Failure | null {
  const { config, schema, url } = request.routeOptions;
  const has = (type: SecurityEventType, reason: string, email: string | null = null): Failure => ({
    type,
    reason,
    email,
    target: targetOf(type, request.params),
    route: `${request.method} ${url ?? ""}`.slice(0, 200),
  });
  const isRejected = request.headers.authorization !== undefined && !isKnown;
  // Some routes serve anonymous callers too, and could be used to try tokens.
  if (status < 400)
    return isRejected && config.resolveCaller === true ? has("credentials_rejected", "UNAUTHENTICATED") : null;
  // Failures of the service itself are in the log of errors. A sign-in that the provider failed is one of a person.
  if (code == null || (status >= 500 && !code.startsWith("OIDC_"))) return null;
  const declared = declaredBy(request);
  switch (code) {
    // The person is asked for their password. A wrong one is a failure of its own.
    case "CONFIRMATION_REQUIRED":
      return null;
    // In a session the person is asked for their passkey. A sign-in without one has failed.
    case "PASSKEY_REQUIRED":
      return isKnown || declared === null ? null : has(declared.type, code, declared.email);
    case "RATE_LIMITED":
    case "AGENT_LIMIT":
      return has("rate_limit_reached", code, declared?.email);
    case "FORBIDDEN":
      return has("access_refused", code);
    // Without a token, the session has ended, which is no failure of anyone.
    case "UNAUTHENTICATED":
      return isRejected && (schema?.security !== undefined || config.resolveCaller === true)
        ? has("credentials_rejected", code)
        : null;
    default:
      if (declared !== null) return has(declared.type, request.failureNote?.reason ?? code, declared.email);
      return status === 401 ? has("credentials_rejected", code) : status === 403 ? has("access_refused", code) : null;
  }
}

interface DeclaredFailure {
  type: SecurityEventType;
  /** The email that the failed request came with. */
  email: string | null;
}

function declaredBy(request: FastifyRequest): DeclaredFailure | null {
  if (request.securityFailure !== null) return request.securityFailure;
  const { securityEvent } = request.routeOptions.config;
  const type =
    typeof securityEvent === "function" ? securityEvent(request.body, request.failureNote ?? {}) : securityEvent;
  return type == null ? null : { type, email: emailIn(request.body) };
}

function targetOf(type: SecurityEventType, params: unknown): Target {
  const { id, team_id } = (params ?? {}) as { id?: string; team_id?: string };
  const kind = targetKindOf(type);
  const named = id ?? team_id;
  return kind === null || named === undefined ? null : { kind, id: named };
}

/** People enter passwords in the field of the email by mistake, so only an email is recorded. */
function emailIn(body: unknown): string | null {
  const email = (body as { email?: unknown } | null | undefined)?.email;
  return typeof email === "string" && isEmailAddress(email) ? email : null;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The event that a failure of this route leaves in the security log. It may depend on the body and on the failure. */
    securityEvent?: SecurityEventType | ((body: unknown, note: FailureNote) => SecurityEventType | null);
  }
  interface FastifyRequest {
    /** Of a handler that knows more about its failure than the route and the body say. */
    securityFailure: DeclaredFailure | null;
  }
}
