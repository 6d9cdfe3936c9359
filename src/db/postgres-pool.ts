import type { PostgresPool, PostgresPoolClient } from "kysely";
import { Pool, type ClientConfig, type PoolClient } from "pg";
import { ServiceError } from "../errors.ts";
import { SECOND } from "../lib/time.ts";
import { asServiceError } from "./postgres-errors.ts";

const CONNECT_TIMEOUT_MS = 5 * SECOND;

export function connectionSettings(url: string, statementTimeoutMs: number) {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
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
 * DATABASE_UNAVAILABLE.
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
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(sql, parameters as unknown[]);
    } catch (error) {
      throw asServiceError(error);
    }
  };
  return {
    // The other form, for cursors, is not used here.
    query: query as unknown as PostgresPoolClient["query"],
    release: (destroy) => client.release(destroy),
  };
}
