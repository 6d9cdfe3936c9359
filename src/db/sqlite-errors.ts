import { ServiceError } from "../errors.ts";

/** The transaction of a group was lost (disk full, an I/O error). None of its calls was executed. */
export class GroupLost extends Error {}

/**
 * Turns errors of the file system, which may pass and are not the caller's fault, into a 503. Other errors stay
 * unchanged.
 */
export function asServiceError(error: unknown): unknown {
  const cause = error instanceof GroupLost ? (error.cause ?? error) : error;
  const code = (cause as { errcode?: number } | null)?.errcode;
  // Primary result codes: BUSY 5, NOMEM 7, READONLY 8, IOERR 10, FULL 13, CANTOPEN 14.
  const passing =
    error instanceof GroupLost || (typeof code === "number" && [5, 7, 8, 10, 13, 14].includes(code & 0xff));
  return passing ? new ServiceError("DATABASE_UNAVAILABLE", { cause }) : cause;
}
