import { Kysely, PostgresDialect } from "kysely";
import { types, type Pool } from "pg";
import { ServiceError } from "../errors.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import { bind, type Db, type Reader, type Statement, type Tx } from "./database.ts";
import { migrate } from "./migrate.ts";
import { followDatabaseClock } from "./postgres-clock.ts";
import { asServiceError, causeOf, isConnectionLoss, isTakenBack } from "./postgres-errors.ts";
import { openPostgresHints } from "./postgres-hints.ts";
import { checkedPool, connectionSettings, createPool } from "./postgres-pool.ts";
import type { Schema } from "./schema.ts";

// Counts and times come back as text otherwise; all of ours are far below 2^53.
types.setTypeParser(types.builtins.INT8, Number);

const STATEMENT_TIMEOUT_MS = 5 * SECOND;
const MIGRATION_TIMEOUT_MS = 10 * MINUTE;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10 * SECOND;
/** Whoever asks for our health waits no longer than this. */
const PING_MS = 2 * SECOND;
const POOL_SIZE = 20;
/** How often a transaction is run again when the database took it back, or could not be reached. */
const TRIES = 5;
/** And for how long; then the caller is told. */
const TRYING_MS = 3 * SECOND;

export interface PostgresOptions {
  url: string;
  /** Epoch milliseconds; when absent, the database's clock, which all replicas share. */
  now?: () => number;
  onError: (error: unknown) => void;
  onWarning: (message: string) => void;
}

/** Opens a database that any number of processes share. Writes are one transaction each at READ COMMITTED. */
export async function openPostgres({ url, now, onError, onWarning }: PostgresOptions): Promise<Db> {
  await migrateOnce(url);

  const pool = createPool({
    ...connectionSettings(url, STATEMENT_TIMEOUT_MS),
    max: POOL_SIZE,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    application_name: "human-task-service",
  });
  const query = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: checkedPool(pool) }) });
  const clock = now
    ? { now, stop: () => {} }
    : await followDatabaseClock(pool, onError).catch(async (error: unknown) => {
        await pool.end();
        throw error;
      });
  const hints = await openPostgresHints({ url, onError, onWarning });

  const reader: Reader = {
    dialect: "postgres",
    query,
    run: async (statement, params) => (await query.executeQuery(bind(statement, "postgres", query, params))).rows,
  };

  async function write<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    const started = performance.now();
    for (let attempt = 1; ; attempt++) {
      const effects: (() => void)[] = [];
      const changed: string[] = [];
      let isBegun = false;
      let isDecided = false;
      try {
        const value = await query.transaction().execute(async (trx) => {
          isBegun = true;
          const tx: Tx = {
            dialect: "postgres",
            query: trx,
            run: async (statement, params) => (await trx.executeQuery(bind(statement, "postgres", query, params))).rows,
            now: clock.now,
            afterCommit: (effect) => void effects.push(effect),
            hint: (hint) => void changed.push(hint),
          };
          const result = await fn(tx);
          isDecided = true;
          return result;
        });
        try {
          for (const effect of effects) effect();
          if (changed.length > 0) hints.publish(changed);
        } catch (error) {
          onError(error);
        }
        return value;
      } catch (thrown) {
        const error = causeOf(thrown);
        if (error instanceof ServiceError) throw error;
        // The commit was sent and its answer never came: it may have happened, so it must not be run again here.
        if (isDecided && isConnectionLoss(error)) throw new ServiceError("COMMIT_UNKNOWN", { cause: error });
        const isPassing = !isBegun || isTakenBack(error) || isConnectionLoss(error);
        if (isPassing && attempt < TRIES && performance.now() - started < TRYING_MS) {
          await delay(2 ** attempt * (5 + Math.random() * 10));
          continue;
        }
        throw isPassing ? new ServiceError("DATABASE_UNAVAILABLE", { cause: error }) : asServiceError(error);
      }
    }
  }

  async function writeOne<P, R>(statement: Statement<P, R>, params: P): Promise<R[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await query.executeQuery(bind(statement, "postgres", query, params))).rows;
      } catch (thrown) {
        const error = causeOf(thrown);
        // It may have been carried out before the connection was lost.
        if (isConnectionLoss(error)) throw new ServiceError("COMMIT_UNKNOWN", { cause: error });
        if (!isTakenBack(error) || attempt === TRIES) throw asServiceError(error);
        await delay(2 ** attempt * (5 + Math.random() * 10));
      }
    }
  }

  return {
    ...reader,
    hints,
    heavy: reader,
    now: clock.now,
    write,
    writeOne,
    ping: async () => ping(pool),
    close: async () => {
      clock.stop();
      await hints.close();
      await pool.end();
    },
  };
}

/** On a connection of its own, since a migration may take longer than a statement of a request is given. */
async function migrateOnce(url: string): Promise<void> {
  const pool = createPool({ ...connectionSettings(url, MIGRATION_TIMEOUT_MS), max: 1 });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate(db, "postgres");
  } catch (error) {
    throw withoutPassword(error as Error, url);
  } finally {
    await db.destroy();
  }
}

/** The sentence is for the terminal and the log: whatever a driver or a pooler puts into it, not that. */
function withoutPassword(error: Error, url: string): Error {
  const { password } = new URL(url);
  const secrets = [password, decodePassword(password)].filter((secret) => secret !== "");
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, "***"), error.message);
  return new Error(message, { cause: error.cause });
}

function decodePassword(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}

/** @throws when no connection is to be had, or nothing is answered, in `PING_MS` altogether */
async function ping(pool: Pool): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the database did not answer within ${PING_MS} ms`)), PING_MS);
  });
  const question = { text: "select 1", query_timeout: PING_MS };
  try {
    await Promise.race([pool.query(question), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
