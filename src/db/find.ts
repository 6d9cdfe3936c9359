/**
 * Reads a database that other processes may be using. It creates, migrates and keeps nothing. This is for the command
 * line; the service opens its database with sqlite.ts or postgres.ts.
 */
import { existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import {
  DummyDriver,
  Kysely,
  PostgresDialect,
  SqliteAdapter,
  SqliteDialect,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Config } from "../config.ts";
import { SECOND } from "../lib/time.ts";
import type { Dialect } from "./database.ts";
import { causeOf } from "./postgres-errors.ts";
import type { Schema } from "./schema.ts";

const LIMITS = { statementMs: 5 * SECOND, idleInTransactionMs: 10 * SECOND };
/** A committing service locks the embedded database for milliseconds. */
const BUSY_MS = 2 * SECOND;

export interface FoundDatabase {
  dialect: Dialect;
  query: Kysely<Schema>;
  /** The version of the software, for example `18.4`. */
  version: string;
  /** The database's clock minus this machine's, in milliseconds; null if the database has no clock of its own. */
  clockAheadMs: number | null;
  /** Whether LISTEN works between processes; null if there is only one process. */
  hintsArrive: boolean | null;
  /** Space of the embedded database in bytes; null if the database is on another machine. */
  disk: { used: number; free: number } | null;
  close(): Promise<void>;
}

/**
 * @returns null if the embedded database does not exist yet @throws Error of the driver; it may contain the password
 */
export async function findDatabase({
  database,
  dataDir,
}: Pick<Config, "database" | "dataDir">): Promise<FoundDatabase | null> {
  return database.kind === "sqlite" ? findSqlite(dataDir) : findPostgres(database.url);
}

async function findSqlite(dataDir: string): Promise<FoundDatabase | null> {
  const path = join(dataDir, "service.db");
  if (!existsSync(path)) return null;
  const { connect } = await import("./sqlite-connection.ts");
  const connection = connect(path);
  try {
    connection.database.exec(`pragma busy_timeout = ${BUSY_MS}`);
    const [row] = connection.all("select sqlite_version() as version", []);
    const { bavail, bsize } = await statfs(dataDir);
    return {
      dialect: "sqlite",
      query: new Kysely({ dialect: new SqliteDialect({ database: connection }) }),
      version: (row as { version: string }).version,
      clockAheadMs: null,
      hintsArrive: null,
      disk: { used: sizeOf(path) + sizeOf(`${path}-wal`), free: bavail * bsize },
      close: async () => connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function findPostgres(url: string): Promise<FoundDatabase> {
  const { openPool, openSessions } = await import("./postgres-pool.ts");
  const { followDatabaseClock } = await import("./postgres-clock.ts");
  const { areTasksSpread } = await import("./citus.ts");
  const limited = await openPool(url, LIMITS, { max: 1 });
  const { pool } = limited;
  try {
    const clock = await followDatabaseClock(pool, () => {});
    const clockAheadMs = clock.now() - Date.now();
    clock.stop();
    const { rows } = await pool.query<{ server_version: string }>("show server_version");
    return {
      dialect: (await areTasksSpread(pool)) ? "citus" : "postgres",
      query: new Kysely({ dialect: new PostgresDialect({ pool: openSessions(limited, () => false).pool }) }),
      version: rows[0]!.server_version,
      clockAheadMs,
      hintsArrive: await tryHints(url),
      disk: null,
      close: () => pool.end(),
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function tryHints(url: string): Promise<boolean> {
  const { openPostgresHints } = await import("./postgres-hints.ts");
  const hints = await openPostgresHints({ url, onError: () => {}, onWarning: () => {} });
  const arrive = hints.isHealthy();
  await hints.close();
  return arrive;
}

/** Writes a row and rolls it back. @throws Error of the database */
export async function tryWriting(query: Kysely<Schema>): Promise<void> {
  const takeBack = new Error("taken back");
  try {
    await query.transaction().execute(async (tx) => {
      await tx.insertInto("rate_windows").values({ bucket: "doctor", ends_at: 0, count: 0 }).execute();
      throw takeBack;
    });
  } catch (error) {
    if (error !== takeBack) throw causeOf(error);
  }
}

/** Returns an empty database, used if the real one cannot be read. */
export function nothingStored(): Kysely<Schema> {
  return new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}
