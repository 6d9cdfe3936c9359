import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, SqliteDialect } from "kysely";
import type { Db } from "./database.ts";
import { createLocalHints } from "./hints.ts";
import { migrate } from "./migrate.ts";
import type { Schema } from "./schema.ts";
import { connect, type Connection } from "./sqlite-connection.ts";
import { openHeavyReader } from "./sqlite-heavy.ts";
import { forCallers, readerOn } from "./sqlite-reader.ts";
import { createWriter } from "./sqlite-writer.ts";

/**
 * Pages in the write-ahead log at which the writer itself copies them back, which blocks it. The worker does so far
 * earlier.
 */
const CHECKPOINT_PAGES = 64_000;

export interface SqliteOptions {
  dataDir: string;
  /** Returns epoch milliseconds. */
  now?: () => number;
  /** Called for errors of effects after a commit, because no caller is left to get them. */
  onError: (error: unknown) => void;
}

/**
 * Opens the embedded database. It uses WAL, puts every commit on disk before acknowledging it (`synchronous=FULL`), and
 * has one connection that groups commits and one that reads. A second process on the same data directory is refused.
 */
export async function openSqlite({
  dataDir,
  now = createUnbrokenClock(),
  onError,
}: SqliteOptions): Promise<Db & { isNew: boolean }> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "service.db");
  const isNew = !existsSync(path);
  // Only this user may read the file, even if the folder existed before and is open to others. SQLite gives its log the
  // same mode.
  closeSync(openSync(path, "a", 0o600));
  const lock = lockDirectory(dataDir);

  const writing = connect(path);
  setDurability(writing.database);
  await migrateWhole(writing);

  const reading = connect(path, { readOnly: true });
  const hints = createLocalHints();
  const heavy = openHeavyReader(path);
  const clock = forwardOnly(now);
  const reader = readerOn(forCallers(reading));
  const writer = createWriter(writing, { clock, hints, onError, onGrowth: heavy.checkpoint });

  return {
    ...reader,
    isNew,
    hints,
    heavy,
    now: clock,
    lookAlone: async (_name, look) => look(),
    shardOf: () => 0,
    write: writer.write,
    writeOne: (statement, params) => writer.write((tx) => tx.run(statement, params)),
    ping: async () => void reading.all("select id from tasks limit 1", []),
    close: async () => {
      await writer.idle();
      await hints.close();
      await heavy.close();
      reading.close();
      writing.close();
      lock.close();
    },
  };
}

/**
 * Migrates completely or not at all. Kysely does not know that SQLite rolls back schema changes with their transaction.
 */
async function migrateWhole(connection: Connection): Promise<void> {
  const { database } = connection;
  database.exec("begin immediate");
  try {
    await migrate(new Kysely<Schema>({ dialect: new SqliteDialect({ database: connection }) }), "sqlite");
    database.exec("commit");
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}

/** Another process has locked the data directory. */
export class DirectoryInUse extends Error {}

/**
 * Locks the data directory for this process. The system releases the lock when the process ends, even by a crash, so
 * nothing needs to be cleaned up.
 */
function lockDirectory(dataDir: string): DatabaseSync {
  const lock = new DatabaseSync(join(dataDir, "lock.db"), { timeout: 0 });
  try {
    lock.exec("begin exclusive");
  } catch (cause) {
    lock.close();
    if (!isBusy(cause)) throw cause;
    throw new DirectoryInUse(
      `The data directory ${dataDir} is in use by another process. Only one process can use the embedded database; several can share PostgreSQL (SERVICE_DATABASE_URL).`,
      { cause },
    );
  }
  return lock;
}

function setDurability(database: DatabaseSync): void {
  database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const mode = database.prepare("pragma journal_mode = wal").get()?.["journal_mode"];
  database.exec("pragma synchronous = full; pragma fullfsync = on; pragma checkpoint_fullfsync = on");
  const level = database.prepare("pragma synchronous").get()?.["synchronous"];
  if (mode !== "wal" || level !== 2) {
    throw new Error(
      `SQLite did not take the durable settings (journal_mode ${String(mode)}, synchronous ${String(level)}); is the data directory on a network file system?`,
    );
  }
}

/**
 * Returns this machine's clock in epoch milliseconds. If the machine's clock is set ahead, this clock follows. If it is
 * set back, this clock continues from its last value. If it stopped instead until that value is reached again, no
 * deadline would pass and nothing would be sent.
 */
function createUnbrokenClock(): () => number {
  let offset = Number.NEGATIVE_INFINITY;
  return () => {
    const passed = performance.now();
    offset = Math.max(offset, Date.now() - passed);
    return Math.floor(passed + offset);
  };
}

/** Returns a clock that never runs backwards while this process lives. */
function forwardOnly(now: () => number): () => number {
  let last = 0;
  return () => (last = Math.max(last, now()));
}

function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  return typeof code === "number" && (code & 0xff) === 5;
}
