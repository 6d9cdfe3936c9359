import { Kysely, PostgresDialect } from "kysely";
import type { Pool } from "pg";
import { ServiceError } from "../errors.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import { bind, type Db, type Reader, type Statement, type Tx } from "./database.ts";
import { createMigrationDialect, migrate, notBroughtUpToDate } from "./migrate.ts";
import { followDatabaseClock } from "./postgres-clock.ts";
import { asServiceError, causeOf, isConnectionLoss, isTakenBack, isUnprepared } from "./postgres-errors.ts";
import { openPostgresHints } from "./postgres-hints.ts";
import { openPool, openSessions, poolOf, type Limits, type Session } from "./postgres-pool.ts";
import type { Schema } from "./schema.ts";

const LIMITS: Limits = { statementMs: 5 * SECOND, idleInTransactionMs: 10 * SECOND };
const MIGRATION_LIMITS: Limits = { statementMs: 10 * MINUTE, idleInTransactionMs: 10 * SECOND };
/** Whoever asks for our health waits no longer than this. */
const PING_MS = 2 * SECOND;
const POOL_SIZE = 20;
/** How often something is tried when the database took it back, or could not be reached. */
const TRIES = 5;
/** And for how long; then the caller is told. */
const TRYING_MS = 3 * SECOND;

export interface PostgresOptions {
  url: string;
  /** Epoch milliseconds; when absent, the database's clock, which all replicas share. */
  now?: () => number;
  onError: (error: unknown) => void;
  onWarning: (message: string) => void;
  onInfo?: (message: string) => void;
}

/** Opens a database that any number of processes share. Writes are one transaction each at READ COMMITTED. */
export async function openPostgres({ url, now, onError, onWarning, onInfo = () => {} }: PostgresOptions): Promise<Db> {
  await migrateOnce(url);

  const limited = await openPool(url, LIMITS, { max: POOL_SIZE, application_name: "human-task-service" });
  const { pool } = limited;
  const clock = now
    ? { now, stop: () => {} }
    : await followDatabaseClock(pool, onError).catch(async (error: unknown) => {
        await pool.end();
        throw error;
      });
  const hints = await openPostgresHints({ url, onError, onWarning, onInfo });
  // Where hints do not come through, a pooler may stand between, and hand each statement to another connection.
  const sessions = openSessions(limited, hints.isHealthy);
  const query = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: sessions.pool }) });

  const reader: Reader = {
    dialect: "postgres",
    query,
    run: async (statement, params) => retrying(() => runAlone(statement, params), isUnprepared),
  };

  async function runAlone<P, R>(statement: Statement<P, R>, params: P, onOpen?: () => void): Promise<R[]> {
    const session = await sessions.open();
    onOpen?.();
    try {
      return (await session.run(bind(statement, "postgres", query, params))) as R[];
    } finally {
      session.release();
    }
  }

  async function write<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    let isBegun = false;
    let isDecided = false;
    const once = async () => {
      const [effects, changed]: [(() => void)[], string[]] = [[], []];
      isBegun = isDecided = false;
      const value = await inTransaction(async (session) => {
        isBegun = true;
        const result = await fn(txOn(session, effects, changed));
        isDecided = true;
        return result;
      });
      return { value, effects, changed };
    };
    // A commit that was sent and never answered may have happened, so it must not be run again here.
    const isLost = (error: unknown) => isDecided && isConnectionLoss(error);
    const isPassing = (error: unknown) => !isBegun || isTakenBack(error) || isConnectionLoss(error);
    try {
      const { value, effects, changed } = await retrying(once, (error) => isPassing(error) && !isLost(error));
      tell(effects, changed);
      return value;
    } catch (thrown) {
      const error = causeOf(thrown);
      if (error instanceof ServiceError) throw error;
      if (isLost(error)) throw new ServiceError("COMMIT_UNKNOWN", { cause: error });
      throw isPassing(error) ? new ServiceError("DATABASE_UNAVAILABLE", { cause: error }) : asServiceError(error);
    }
  }

  function tell(effects: (() => void)[], changed: string[]): void {
    try {
      for (const effect of effects) effect();
      if (changed.length > 0) hints.publish(changed);
    } catch (error) {
      onError(error);
    }
  }

  async function inTransaction<T>(fn: (session: Session) => Promise<T>): Promise<T> {
    const session = await sessions.open();
    try {
      await session.query("begin", []);
      const value = await fn(session);
      await session.query("commit", []);
      session.release();
      return value;
    } catch (error) {
      // One that cannot even take it back is in an unknown state.
      const isClean = await session.query("rollback", []).then(
        () => true,
        () => false,
      );
      session.release(!isClean);
      throw error;
    }
  }

  function txOn(session: Session, effects: (() => void)[], changed: string[]): Tx {
    let own: Kysely<Schema> | null = null;
    return {
      dialect: "postgres",
      // Made only for those that need it: most statements are compiled already.
      get query() {
        return (own ??= new Kysely<Schema>({ dialect: new PostgresDialect({ pool: poolOf(session) }) }));
      },
      run: async (statement, params) => (await session.run(bind(statement, "postgres", query, params))) as never,
      now: clock.now,
      afterCommit: (effect) => void effects.push(effect),
      hint: (hint) => void changed.push(hint),
    };
  }

  async function writeOne<P, R>(statement: Statement<P, R>, params: P): Promise<R[]> {
    let isSent = false;
    try {
      return await retrying(
        async () => {
          isSent = false;
          return runAlone(statement, params, () => (isSent = true));
        },
        (error) => isTakenBack(error) || (!isSent && isConnectionLoss(error)),
      );
    } catch (thrown) {
      const error = causeOf(thrown);
      // It may have been carried out before the connection was lost.
      if (isSent && isConnectionLoss(error)) throw new ServiceError("COMMIT_UNKNOWN", { cause: error });
      throw asServiceError(error);
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
  try {
    const limited = await openPool(url, MIGRATION_LIMITS, { max: 1 }).catch((error: unknown) => {
      throw notBroughtUpToDate(error);
    });
    const db = new Kysely<Schema>({ dialect: createMigrationDialect(openSessions(limited, () => false).pool) });
    try {
      await migrate(db, "postgres");
    } finally {
      await db.destroy();
    }
  } catch (error) {
    throw withoutPassword(error as Error, url);
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

/** Runs `fn`, and again where its error may pass, a few times and not for long. */
async function retrying<T>(fn: () => Promise<T>, isPassing: (error: unknown) => boolean): Promise<T> {
  const started = performance.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await fn();
    } catch (thrown) {
      const error = causeOf(thrown);
      if (error instanceof ServiceError || !isPassing(error)) throw thrown;
      if (attempt === TRIES || performance.now() - started > TRYING_MS) throw thrown;
      await delay(2 ** attempt * (5 + Math.random() * 10));
    }
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
