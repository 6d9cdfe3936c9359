import { ServiceError } from "../errors.ts";

/**
 * Returns whether the database rolled the transaction back and asks for a retry: serialization failure and deadlock.
 */
export function isTakenBack(error: unknown): boolean {
  const code = codeOf(error);
  return code === "40001" || code === "40P01" || isUnprepared(error);
}

/**
 * Returns whether a prepared statement is unknown, or exists already, because a pooler shares its connections among
 * clients. Nothing was executed.
 */
export function isUnprepared(error: unknown): boolean {
  const code = codeOf(error);
  return code === "26000" || code === "42P05";
}

/**
 * Returns whether another transaction inserted a unique value first, so that this one failed. On SQLite there is one
 * transaction at a time.
 */
export function isAlreadyThere(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/**
 * Citus reports a node that was lost during a statement or a commit as an internal error: "could not commit transaction for
 * shard 102009 on at least one active node".
 */
const LOST_NODE = /active node|remote node|server closed the connection|terminating connection/i;

/**
 * Returns whether the connection broke, could not be opened, or did not answer, according to the errors of node, `pg`
 * and PostgreSQL.
 */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  if (code === "XX000") return LOST_NODE.test((error as Error).message);
  if (code !== undefined)
    return /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|08...|57P0[1-5])$/.test(
      code,
    );
  return (
    error instanceof Error &&
    /connection|timeout exceeded|timeout expired|Query read timeout|Client has encountered|Client was closed/i.test(
      error.message,
    )
  );
}

/** Returns whether no answer came in time. The connection has not broken. */
export function isSilence(error: unknown): boolean {
  return codeOf(error) === "ETIMEDOUT" || (error instanceof Error && error.message === "Query read timeout");
}

/**
 * Turns a temporary error that wrote nothing into DATABASE_UNAVAILABLE with `error` as its cause: a lost connection, a
 * statement or lock timeout, no more space or connections, or a read-only database. Other errors stay unchanged.
 */
export function asServiceError(error: unknown): unknown {
  const code = codeOf(error);
  const passing =
    isConnectionLoss(error) ||
    isTakenBack(error) ||
    (code !== undefined && /^(57014|55P03|53...|25P0[34]|25006)$/.test(code));
  return passing ? new ServiceError("DATABASE_UNAVAILABLE", { cause: error }) : error;
}

/** Returns the original error of the database or the driver, if `asServiceError` replaced it. */
export function causeOf(error: unknown): unknown {
  return error instanceof ServiceError && error.code === "DATABASE_UNAVAILABLE" ? (error.cause ?? error) : error;
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
