import type { PostgresPool, PostgresPoolClient } from "kysely";
import { Pool, types, type ClientConfig, type PoolClient, type QueryConfig, type QueryResult } from "pg";
import { ServiceError } from "../errors.ts";
import { SECOND } from "../lib/time.ts";
import type { Bound } from "./database.ts";
import { asServiceError, isConnectionLoss, isUnprepared } from "./postgres-errors.ts";

// Counts and times come back as text otherwise; all of ours are far below 2^53.
types.setTypeParser(types.builtins.INT8, Number);

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

/** A connection in use: by a transaction, or by a single statement. */
export interface Session {
  /** One of ours, which the connection keeps prepared: planning it costs the database more than carrying it out. */
  run(statement: Bound): Promise<unknown[]>;
  /** Anything, for once. */
  query(sql: string, parameters: readonly unknown[]): Promise<QueryResult>;
  /** @param destroy - whether it must not be used again */
  release(destroy?: boolean): void;
}

export interface Sessions {
  /** @throws ServiceError DATABASE_UNAVAILABLE */
  open(): Promise<Session>;
  /** The same for Kysely. */
  readonly pool: PostgresPool;
}

/**
 * Connections of `pool`, where every statement of reads and transactions alike is told from the same errors: what may
 * pass is DATABASE_UNAVAILABLE, and a connection that was lost or did not answer in time is never used again.
 *
 * @param mayPrepare - whether a connection is ours alone for as long as it is open, as far as we know
 */
export function openSessions(pool: Pool, mayPrepare: () => boolean): Sessions {
  let isPrepared = true;

  async function open(): Promise<Session> {
    let client: PoolClient;
    try {
      client = await pool.connect();
    } catch (cause) {
      // Whatever the reason: without a connection, nothing has happened.
      throw new ServiceError("DATABASE_UNAVAILABLE", { cause });
    }
    let lost: unknown = null;
    const send = async (query: QueryConfig): Promise<QueryResult> => {
      // Such as the rollback: it would wait behind the statement that was not answered.
      if (lost !== null) throw lost;
      try {
        return await client.query(query);
      } catch (error) {
        if (isUnprepared(error)) isPrepared = false;
        const mapped = asServiceError(error);
        if (isConnectionLoss(error)) lost = mapped;
        throw mapped;
      }
    };
    return {
      run: async ({ name, sql: text, parameters: values }) =>
        (await send(isPrepared && mayPrepare() ? { name, text, values } : { text, values })).rows as unknown[],
      query: async (text, parameters) => send({ text, values: [...parameters] }),
      // To the pool, a connection whose statement was given up looks like a good one.
      release: (destroy = false) => client.release(destroy || lost !== null),
    };
  }

  return {
    open,
    pool: { options: pool.options, connect: async () => forKysely(await open()), end: async () => pool.end() },
  };
}

/** A pool of this one connection, whose owner gives it back. */
export function poolOf(session: Session): PostgresPool {
  return { options: {}, connect: async () => forKysely({ ...session, release: () => {} }), end: async () => {} };
}

function forKysely({ query, release }: Session): PostgresPoolClient {
  // The other form, for cursors, is not used here.
  return { query: query as unknown as PostgresPoolClient["query"], release };
}
