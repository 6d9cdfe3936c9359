import type * as OpenIdClient from "openid-client";
import type { ErrorCode } from "../../errors.ts";
import { reasonOf } from "../../lib/reason.ts";

/** The part of the library that says what an error is. */
type Library = Pick<
  typeof OpenIdClient,
  "AuthorizationResponseError" | "ResponseBodyError" | "ClientError" | "WWWAuthenticateChallengeError"
>;

export type ProviderErrorCode = Extract<
  ErrorCode,
  | "OIDC_SIGN_IN_EXPIRED"
  | "OIDC_SIGN_IN_REFUSED"
  | "OIDC_TOKEN_INVALID"
  | "OIDC_PROVIDER_ERROR"
  | "OIDC_PROVIDER_UNAVAILABLE"
>;

const TEXT_MAX = 300;

/**
 * Something that went wrong at the provider. The message is a sentence for operators. It keeps no error of the library,
 * because those have tokens and claims inside.
 */
export class ProviderFailure extends Error {
  readonly code: ProviderErrorCode;

  constructor(code: ProviderErrorCode, message: string) {
    super(message.length > TEXT_MAX ? `${message.slice(0, TEXT_MAX)}...` : message);
    this.name = "ProviderFailure";
    this.code = code;
  }
}

/** Codes of the library for an ID token that fails a check. */
const TOKEN_CODES: ReadonlySet<string> = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_UNSUPPORTED_OPERATION",
]);

/** Returns what an error of the library, or of the network, means. */
export function toProviderFailure(library: Library, error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof library.AuthorizationResponseError) return ofAuthorization(error);
  if (error instanceof library.ResponseBodyError) {
    // The code was used before, or is too old.
    if (error.error === "invalid_grant") return failure("OIDC_SIGN_IN_EXPIRED", error);
    return failure("OIDC_PROVIDER_ERROR", error);
  }
  if (error instanceof library.WWWAuthenticateChallengeError)
    return new ProviderFailure(
      "OIDC_PROVIDER_ERROR",
      `The provider rejects the client (HTTP ${error.status}). Check SERVICE_OIDC_CLIENT_ID and SERVICE_OIDC_CLIENT_SECRET.`,
    );
  const isLate = error instanceof library.ClientError && /TIMEOUT|ABORT/.test(error.code ?? "");
  if (error instanceof library.ClientError && error.code !== undefined && !isLate) {
    const isToken = TOKEN_CODES.has(error.code);
    return new ProviderFailure(
      isToken ? "OIDC_TOKEN_INVALID" : "OIDC_PROVIDER_ERROR",
      `The provider's answer is not valid: ${detailOf(error)}`,
    );
  }
  return new ProviderFailure(
    "OIDC_PROVIDER_UNAVAILABLE",
    `The provider did not answer: ${detailOf(error)} Check SERVICE_OIDC_ISSUER and the network.`,
  );
}

interface ErrorAnswer {
  error: string;
  error_description?: string | undefined;
}

/** The provider sent the browser back with an error. */
function ofAuthorization(answer: ErrorAnswer): ProviderFailure {
  switch (answer.error) {
    case "access_denied":
    case "login_required":
    case "interaction_required":
    case "consent_required":
    case "account_selection_required":
      return failure("OIDC_SIGN_IN_REFUSED", answer);
    case "temporarily_unavailable":
    case "server_error":
      return failure("OIDC_PROVIDER_UNAVAILABLE", answer);
    default:
      return failure("OIDC_PROVIDER_ERROR", answer);
  }
}

function failure(code: ProviderErrorCode, { error, error_description: text }: ErrorAnswer): ProviderFailure {
  const said = text === undefined ? error : `${error}, ${text}`;
  return new ProviderFailure(code, `The provider answered with an error: ${reasonOf(said)}`);
}

/** Returns the messages of an error and its causes. Other parts of them are left out: they can hold tokens. */
function detailOf(error: unknown): string {
  const messages: string[] = [];
  for (let one: unknown = error; one instanceof Error && messages.length < 4; one = one.cause) {
    // A host with several addresses has an error for each.
    const [first] = one instanceof AggregateError ? (one.errors as unknown[]) : [one];
    const message = first instanceof Error ? first.message : "";
    // The cause says more.
    if (message !== "" && message !== "fetch failed" && !messages.includes(message)) messages.push(message);
  }
  return reasonOf(messages.length > 0 ? messages.join(": ") : error);
}
