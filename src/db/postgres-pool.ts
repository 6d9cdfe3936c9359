import type { PostgresPool, PostgresPoolClient } from "kysely";
import { Pool, type ClientConfig, type PoolClient } from "pg";
import { ServiceError } from "../errors.ts";
import { SECOND } from "../lib/time.ts";
import { asServiceError, isConnectionLoss } from "./postgres-errors.ts";

const CONNECT_TIMEOUT_MS = 5 * SECOND;
/** The database ends a statement that takes too long and says so; when that is not heard either, nobody is there. */
const ANSWER_MS = 1 * SECOND;
/** A connection on which nothing is said is probed by the system after this long. */
const KEEP_ALIVE_MS = 10 * SECOND;

/** Every wait on such a connection ends: to connect, for the database to work, and for its answer to arrive. */
export function connectionSettings(url: string, statementTimeoutMs: number) {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  } satisfies ClientConfig;
}

export function createPool(settings: ConstructorParameters<typeof Pool>[0]): Pool {
  const pool = new Pool(settings);
  // An idle connection that breaks is replaced when the next one is needed; without a listener it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/**
 * The pool as Kysely uses it, for every statement of reads and transactions alike: what may pass is
 * DATABASE_UNAVAILABLE, and a connection that was lost or did not answer in time is never used again.
 */
export function checkedPool(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    connect: async () => {
      try {
        return checkedClient(await pool.connect());
      } catch (cause) {
        // Whatever the reason: without a connection, nothing has happened.
        throw new ServiceError("DATABASE_UNAVAILABLE", { cause });
      }
    },
    end: async () => pool.end(),
  };
}

function checkedClient(client: PoolClient): PostgresPoolClient {
  let lost: unknown = null;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    // Such as the rollback: it would wait behind the statement that was not answered.
    if (lost !== null) throw lost;
    try {
      return await client.query(sql, parameters as unknown[]);
    } catch (error) {
      const mapped = asServiceError(error);
      if (isConnectionLoss(error)) lost = mapped;
      throw mapped;
    }
  };
  return {
    // The other form, for cursors, is not used here.
    query: query as unknown as PostgresPoolClient["query"],
    // To the pool, a connection whose statement was given up looks like a good one.
    release: (destroy) => client.release(destroy === true || lost !== null),
  };
}
