import { ServiceError, type ErrorDetail } from "../errors.ts";

/**
 * The error for a request that does not have the shape of its route. A missing field or a wrong type is not what the route
 * takes: 400, and nothing else is named. Anything else is well-formed, but refused: 422.
 */
export function refusedShape(problems: readonly ErrorDetail[]): ServiceError {
  const malformed = problems.filter(({ keyword }) => keyword === "type" || keyword === "required");
  return malformed.length > 0
    ? new ServiceError("MALFORMED_REQUEST", { details: malformed })
    : new ServiceError("VALIDATION_FAILED", { details: [...problems] });
}
