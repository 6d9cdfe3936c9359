import { ServiceError, type ErrorCode } from "../errors.ts";
import { isOperator, type Caller } from "../people/caller.ts";

const CODES: ReadonlySet<ErrorCode> = new Set([
  "VERIFIER_API_KEY_MISSING",
  "VERIFIER_PROVIDER_UNAVAILABLE",
  "VERIFIER_PROVIDER_ERROR",
]);

/** Returns whether the verifier could not check an answer. The answer was not stored, and no attempt was used. */
export function isCheckUnavailable({ code }: ServiceError): boolean {
  return CODES.has(code);
}

/** For the person who answers. Every form keeps the answer when this error arrives. */
const FOR_PEOPLE = "Automatic check is unavailable. Your answer is saved here; try again in a minute.";

/**
 * Returns the error as this caller sees it. Only operators get the cause, in `details`; it is in the log as well.
 */
export function withoutCause(error: unknown, caller: Caller): unknown {
  if (!(error instanceof ServiceError && isCheckUnavailable(error))) return error;
  const { code, details, cause } = error;
  return new ServiceError(code, {
    ...(caller.kind !== "admin" && caller.kind !== "agent" && { message: FOR_PEOPLE }),
    ...(isOperator(caller) && details !== undefined && { details }),
    cause,
  });
}
