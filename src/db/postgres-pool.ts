import { channel } from "node:diagnostics_channel";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import {
  Pool,
  types,
  type ClientConfig,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  type QueryResult,
} from "pg";
import { ServiceError } from "../errors.ts";
import { SECOND } from "../lib/time.ts";
import type { Bound } from "./database.ts";
import { asServiceError, isConnectionLoss, isUnprepared } from "./postgres-errors.ts";

// The driver returns counts and times as text by default. All of ours are far below 2^53.
types.setTypeParser(types.builtins.INT8, Number);

/** Every statement that requests, the engine and the sweeps send, for tests. Without a subscriber it costs nothing. */
export const STATEMENTS = channel("human-task-service:postgres-statement");

/** What connections of the service are called in `pg_stat_activity`. Some names have more words. */
export const APPLICATION_NAME = "human-task-service";

const CONNECT_TIMEOUT_MS = 5 * SECOND;
/** Added to the database's own time limit of a statement. If its error has not arrived by then, the connection is dead. */
const ANSWER_MS = 1 * SECOND;
/** The system probes a silent connection after this time. */
const KEEP_ALIVE_MS = 10 * SECOND;

/** Limits that the database enforces, so that nothing holds locks longer, even if this process dies. */
export interface Limits {
  statementMs: number;
  /** For an idle transaction. */
  idleInTransactionMs: number;
}

/** Returns settings of a connection that limit every wait of this process: to connect, and for an answer. */
export function connectionSettings(url: string, statementMs: number) {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: statementMs + ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  } satisfies ClientConfig;
}

/** A pool, and how its connections set time limits. */
export interface LimitedPool {
  pool: Pool;
  /**
   * The first statement of a transaction. On a connection with preset limits it is `begin`. Behind a pooler it also
   * sets them.
   */
  begin: string;
  /** Whether a pooler hides the limits from the connections, so that each transaction must set them. */
  isPooled: boolean;
}

/**
 * Opens a pool on which the database enforces `limits`.
 *
 * A direct connection gets them when it is opened, which costs nothing later. PgBouncer refuses a connection that asks
 * for them, or ignores them if configured so. In transaction mode a `set` would leak to the next client of that
 * connection. So there each transaction sets the limits itself, in the message that begins it.
 *
 * @throws when the database cannot be reached
 */
export async function openPool(
  url: string,
  limits: Limits,
  settings: Pick<PoolConfig, "max" | "application_name">,
): Promise<LimitedPool> {
  const { statementMs, idleInTransactionMs } = limits;
  const common = { ...connectionSettings(url, statementMs), ...settings };
  const direct = createPool({
    ...common,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  });
  try {
    if (await hasLimits(direct, limits)) return { pool: direct, begin: "begin", isPooled: false };
  } catch (error) {
    if (!isRefusedSetting(error)) {
      await direct.end();
      throw error;
    }
  }
  await direct.end();
  const begin = `begin; set local statement_timeout = ${statementMs}; set local idle_in_transaction_session_timeout = ${idleInTransactionMs}`;
  // Begin, statement and commit are sent together, see `openSessions`.
  return { pool: createPool({ ...common, pipeline: true }), begin, isPooled: true };
}

async function hasLimits(pool: Pool, { statementMs, idleInTransactionMs }: Limits): Promise<boolean> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('statement_timeout', 'idle_in_transaction_session_timeout')",
  );
  const inForce = new Map(rows.map(({ name, setting }) => [name, Number(setting)]));
  return (
    inForce.get("statement_timeout") === statementMs &&
    inForce.get("idle_in_transaction_session_timeout") === idleInTransactionMs
  );
}

/** Returns whether PgBouncer does not pass the setting on, or the server does not know it. */
function isRefusedSetting(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /unsupported startup parameter/i.test(error.message) || (error as { code?: unknown }).code === "42704";
}

export function createPool(settings: PoolConfig): Pool {
  const pool = new Pool(settings);
  // An idle connection that breaks is replaced on the next use. An error without a listener would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** A connection in use: by a transaction, or by a single statement. */
export interface Session {
  /**
   * Runs a declared statement, which the connection keeps prepared: planning it costs the database more than running
   * it.
   */
  run(statement: Bound): Promise<unknown[]>;
  /** Runs any SQL once, without preparing it. */
  query(sql: string, parameters: readonly unknown[]): Promise<QueryResult>;
  /** @param destroy - true if the connection must not be used again */
  release(destroy?: boolean): void;
}

export interface Sessions {
  /** @throws ServiceError DATABASE_UNAVAILABLE */
  open(): Promise<Session>;
  /** The same connections for Kysely. */
  readonly pool: PostgresPool;
}

/**
 * Returns connections of `pool` that report errors in the same way for reads and transactions. Temporary errors become
 * DATABASE_UNAVAILABLE, and a connection that was lost or did not answer in time is never used again.
 *
 * Behind a pooler, a statement outside of a transaction gets its own, so that the time limits apply to it. Begin,
 * statement and commit are sent together, and cost one round trip.
 *
 * @param mayPrepare - whether a connection probably keeps its server process as long as it is open
 */
export function openSessions({ pool, begin, isPooled }: LimitedPool, mayPrepare: () => boolean): Sessions {
  let isPrepared = true;

  async function open(): Promise<Session> {
    let client: PoolClient;
    try {
      client = await pool.connect();
    } catch (cause) {
      // Whatever the reason, nothing was executed without a connection.
      throw new ServiceError("DATABASE_UNAVAILABLE", { cause });
    }
    let lost: unknown = null;
    const send = async (query: QueryConfig): Promise<QueryResult> => {
      if (STATEMENTS.hasSubscribers) STATEMENTS.publish(query);
      // For example the rollback: it would wait behind the unanswered statement.
      if (lost !== null) throw lost;
      try {
        if (query.text === "begin") return await client.query(begin);
        const isAlone = isPooled && client.getTransactionStatus() === "I";
        return await (isAlone ? sendAlone(client, query, begin) : client.query(query));
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
      // The pool does not know that a statement on this connection was abandoned.
      release: (destroy = false) => client.release(destroy || lost !== null),
    };
  }

  return {
    open,
    pool: { options: pool.options, connect: async () => forKysely(await open()), end: async () => pool.end() },
  };
}

/**
 * Runs `query` in a separate transaction, on a connection that sends the next statement without waiting for an answer.
 */
async function sendAlone(client: PoolClient, query: QueryConfig, begin: string): Promise<QueryResult> {
  const [begun, answered, committed] = await Promise.allSettled([
    client.query(begin),
    client.query(query),
    client.query("commit"),
  ]);
  for (const step of [begun, answered, committed]) if (step.status === "rejected") throw step.reason;
  return (answered as PromiseFulfilledResult<QueryResult>).value;
}

/** Returns a pool of this one connection. The caller still releases the connection. */
export function poolOf(session: Session): PostgresPool {
  return { options: {}, connect: async () => forKysely({ ...session, release: () => {} }), end: async () => {} };
}

function forKysely({ query, release }: Session): PostgresPoolClient {
  // The other form, for cursors, is unused.
  return { query: query as unknown as PostgresPoolClient["query"], release };
}
