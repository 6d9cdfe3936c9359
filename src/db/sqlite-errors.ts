import { ServiceError } from "../errors.ts";

/** The transaction that holds a group was lost (disk full, an I/O error): none of its calls has happened. */
export class GroupLost extends Error {}

/** What the file system refuses is not the caller's doing and may pass: 503. Everything else stays what it is. */
export function asServiceError(error: unknown): unknown {
  const cause = error instanceof GroupLost ? (error.cause ?? error) : error;
  const code = (cause as { errcode?: number } | null)?.errcode;
  // Primary result codes: BUSY 5, NOMEM 7, READONLY 8, IOERR 10, FULL 13, CANTOPEN 14.
  const passing =
    error instanceof GroupLost || (typeof code === "number" && [5, 7, 8, 10, 13, 14].includes(code & 0xff));
  return passing ? new ServiceError("DATABASE_UNAVAILABLE", { cause }) : cause;
}
