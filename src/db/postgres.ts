import { Kysely, PostgresDialect } from "kysely";
import type { Pool } from "pg";
import { MINUTE, SECOND } from "../lib/time.ts";
import { followShards } from "./citus.ts";
import type { Db, Reader } from "./database.ts";
import { createMigrationDialect, migrate, notBroughtUpToDate } from "./migrate.ts";
import { followDatabaseClock } from "./postgres-clock.ts";
import { openPostgresHints } from "./postgres-hints.ts";
import { APPLICATION_NAME, openPool, openSessions, type Limits } from "./postgres-pool.ts";
import { holdingName, readOne, writeAll, writeOne } from "./postgres-transactions.ts";
import type { Schema } from "./schema.ts";

const LIMITS: Limits = { statementMs: 5 * SECOND, idleInTransactionMs: 10 * SECOND };
const MIGRATION_LIMITS: Limits = { statementMs: 10 * MINUTE, idleInTransactionMs: 10 * SECOND };
/** Limit for the database check of a health request. */
const PING_MS = 2 * SECOND;
const POOL_SIZE = 20;

export interface PostgresOptions {
  url: string;
  /** Returns epoch milliseconds. Default: the database's clock, which all replicas share. */
  now?: () => number;
  onError: (error: unknown) => void;
  onWarning: (message: string) => void;
  onInfo?: (message: string) => void;
}

/** Opens a database that any number of processes share. Each write is one transaction at READ COMMITTED. */
export async function openPostgres({ url, now, onError, onWarning, onInfo = () => {} }: PostgresOptions): Promise<Db> {
  await migrateOnce(url);

  const limited = await openPool(url, LIMITS, { max: POOL_SIZE, application_name: APPLICATION_NAME });
  const { pool } = limited;
  const clock = now
    ? { now, stop: () => {} }
    : await followDatabaseClock(pool, onError).catch(async (error: unknown) => {
        await pool.end();
        throw error;
      });
  const shards = await followShards(pool, onError);
  const hints = await openPostgresHints({ url, onError, onWarning, onInfo });
  // If hints do not arrive, a pooler may be in between that runs each statement on another connection.
  const sessions = openSessions(limited, hints.isHealthy);
  const query = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: sessions.pool }) });
  const dialect = shards === null ? "postgres" : "citus";
  const on = { dialect, sessions, query, now: clock.now } as const;
  const reader: Reader = {
    dialect,
    query,
    run: async (statement, params) => readOne(on, statement, params),
  };

  return {
    ...reader,
    hints,
    heavy: reader,
    now: clock.now,
    lookAlone: async (name, look) => (shards === null ? look() : holdingName(on, name, look)),
    shardOf: (home) => shards?.shardOf(home) ?? 0,
    write: async (fn) => {
      const { value, effects, hints: changed } = await writeAll(on, fn);
      try {
        for (const effect of effects) effect();
        if (changed.length > 0) hints.publish(changed);
      } catch (error) {
        onError(error);
      }
      return value;
    },
    writeOne: async (statement, params) => writeOne(on, statement, params),
    ping: async () => ping(pool),
    close: async () => {
      clock.stop();
      shards?.stop();
      await hints.close();
      await pool.end();
    },
  };
}

/** Uses a dedicated connection, because a migration may take longer than the limit of a request's statement. */
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

/**
 * Returns the error without the password. The message goes to the terminal and the log, and a driver or pooler may have
 * put the password into it.
 */
export function withoutPassword(error: Error, url: string): Error {
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

/** @throws when no connection opens, or nothing is answered, within `PING_MS` in total */
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
