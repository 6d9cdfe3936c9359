import { AsyncResource } from "node:async_hooks";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, SqliteDialect } from "kysely";
import { bind, type Db, type Reader, type Tx } from "./database.ts";
import { asServiceError, GroupLost } from "./sqlite-errors.ts";
import { createLocalHints, type Hints } from "./hints.ts";
import { migrate } from "./migrate.ts";
import type { Schema } from "./schema.ts";
import { connect, type Connection } from "./sqlite-connection.ts";
import { openHeavyReader } from "./sqlite-heavy.ts";

/** Calls that share one commit, at most, and for how long a commit may gather them. */
const GROUP_CALLS = 64;
const GROUP_MS = 5;

/** Pages in the write-ahead log before the writer itself copies them back, which stalls it; the worker does so far earlier. */
const CHECKPOINT_PAGES = 64_000;

export interface SqliteOptions {
  dataDir: string;
  /** Epoch milliseconds. */
  now?: () => number;
  /** Hears of effects that threw after a commit; they cannot be given to anyone else. */
  onError: (error: unknown) => void;
}

/**
 * Opens the embedded database: WAL, every commit on disk before it is acknowledged (`synchronous=FULL`), one writer that
 * groups commits, one connection that reads. A second process on the same data directory is refused.
 */
export async function openSqlite({
  dataDir,
  now = createUnbrokenClock(),
  onError,
}: SqliteOptions): Promise<Db & { isNew: boolean }> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "service.db");
  const isNew = !existsSync(path);
  // What is in it is for this user alone, also where the folder was there before and is open to others. SQLite gives its
  // log the same mode.
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

/** All of it or none: Kysely does not know that SQLite takes changes of tables back with their transaction. */
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

/** Another process holds the data directory. */
export class DirectoryInUse extends Error {}

/**
 * Holds the data directory for this process alone. The system lets go of the lock when the process ends, however it
 * ends, so there is nothing to clean up after a crash.
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
 * This machine's clock, in epoch milliseconds. Where it is set ahead, so is this; where it is set back, time goes on from
 * where it was: if it stood still until it is reached again, no deadline would pass and nothing be sent meanwhile.
 */
function createUnbrokenClock(): () => number {
  let offset = Number.NEGATIVE_INFINITY;
  return () => {
    const passed = performance.now();
    offset = Math.max(offset, Date.now() - passed);
    return Math.floor(passed + offset);
  };
}

/** A clock that never runs backwards while this process lives. */
function forwardOnly(now: () => number): () => number {
  let last = 0;
  return () => (last = Math.max(last, now()));
}

function readerOn(connection: Connection): Reader & { query: Kysely<Schema> } {
  const query = new Kysely<Schema>({ dialect: new SqliteDialect({ database: connection }) });
  return {
    dialect: "sqlite",
    query,
    run: async (statement, params) => {
      const { sql, parameters } = bind(statement, "sqlite", query, params);
      return connection.all(sql, parameters) as never;
    },
  };
}

/** The same connection, for reads of requests: a caller is told what may pass. */
function forCallers(connection: Connection): Connection {
  const told = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw asServiceError(error);
    }
  };
  return {
    ...connection,
    prepare: (sql) => {
      const statement = told(() => connection.prepare(sql));
      return { ...statement, all: (parameters) => told(() => statement.all(parameters)) };
    },
    all: (sql, parameters) => told(() => connection.all(sql, parameters)),
  };
}

interface Call {
  fn: (tx: Tx) => Promise<unknown>;
  resolve: (value: never) => void;
  reject: (reason: unknown) => void;
}

interface Outcome {
  call: Call;
  result: { ok: true; value: unknown } | { ok: false; error: unknown };
  effects: (() => void)[];
  hints: string[];
}

/**
 * The same connection, for statements of calls: where SQLite gave up the transaction, the next statement would be a
 * transaction of its own, and would stay.
 */
function insideTransaction(connection: Connection): Connection {
  const check = () => {
    if (!connection.database.isTransaction) throw new GroupLost("SQLite gave up the transaction");
  };
  return {
    ...connection,
    prepare: (sql) => {
      check();
      return connection.prepare(sql);
    },
    all: (sql, parameters) => {
      check();
      return connection.all(sql, parameters);
    },
  };
}

interface WriterOptions {
  clock: () => number;
  hints: Hints;
  onError: (error: unknown) => void;
  /** Hears after each commit how many characters have been written so far. */
  onGrowth: (written: number) => void;
}

/**
 * Group commit: calls that wait in the same turn of the event loop run one after the other, each inside its own
 * savepoint, and share one commit and so one fsync. Nothing of a call, neither its result nor its error, is handed out
 * before that commit returned. When the group as a whole is lost, each of its calls is run again alone.
 */
function createWriter(connection: Connection, { clock, hints, onError, onGrowth }: WriterOptions) {
  const { database } = connection;
  const { query, run } = readerOn(insideTransaction(connection));
  const waiting: Call[] = [];
  let draining: Promise<void> | null = null;

  const write = <T>(fn: (tx: Tx) => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      // A call runs in a turn that another call began, yet belongs to whoever asked for it.
      waiting.push({ fn: AsyncResource.bind(fn), resolve, reject });
      draining ??= nextTurn().then(drain);
    });

  async function drain(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const outcomes = await commitGroup();
        for (const outcome of outcomes) release(outcome);
        onGrowth(connection.written());
        // Let requests in before the next group: they join it.
        await nextTurn();
      }
    } finally {
      draining = null;
    }
  }

  async function commitGroup(): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    const calls: Call[] = [];
    const started = performance.now();
    try {
      begin();
      for (let call = waiting.shift(); call; call = nextInGroup(calls.length, started)) {
        calls.push(call);
        outcomes.push(await runInSavepoint(call));
      }
      commit();
      return outcomes;
    } catch (error) {
      rollback();
      // `begin` itself failed: the first call has not been taken from the queue yet.
      if (calls.length === 0) calls.push(...waiting.splice(0, GROUP_CALLS));
      if (calls.length === 1) return [failed(calls[0]!, error)];
      const alone: Outcome[] = [];
      for (const call of calls) alone.push(await runAlone(call));
      return alone;
    }
  }

  function nextInGroup(size: number, started: number): Call | undefined {
    return size < GROUP_CALLS && performance.now() - started < GROUP_MS ? waiting.shift() : undefined;
  }

  async function runAlone(call: Call): Promise<Outcome> {
    try {
      begin();
      const outcome = await runInSavepoint(call);
      commit();
      return outcome;
    } catch (error) {
      rollback();
      return failed(call, error);
    }
  }

  /** @throws GroupLost when the surrounding transaction is gone */
  async function runInSavepoint(call: Call): Promise<Outcome> {
    const effects: (() => void)[] = [];
    const changed: string[] = [];
    const tx: Tx = {
      dialect: "sqlite",
      query,
      run: run,
      now: clock,
      afterCommit: (effect) => void effects.push(effect),
      hint: (hint) => void changed.push(hint),
    };
    connection.all("savepoint call", []);
    try {
      const value = await call.fn(tx);
      if (!database.isTransaction) throw new GroupLost("SQLite gave up the transaction");
      connection.all("release call", []);
      return { call, result: { ok: true, value }, effects, hints: changed };
    } catch (error) {
      if (!database.isTransaction)
        throw error instanceof GroupLost ? error : new GroupLost("SQLite gave up the transaction", { cause: error });
      connection.all("rollback to call", []);
      connection.all("release call", []);
      return { call, result: { ok: false, error: asServiceError(error) }, effects: [], hints: [] };
    }
  }

  const begin = () => connection.all("begin immediate", []);
  const commit = () => connection.all("commit", []);
  const rollback = () => {
    if (database.isTransaction) connection.all("rollback", []);
  };

  function release({ call, result, effects, hints: changed }: Outcome): void {
    if (!result.ok) return call.reject(result.error);
    call.resolve(result.value as never);
    try {
      for (const effect of effects) effect();
      if (changed.length > 0) hints.publish(changed);
    } catch (error) {
      onError(error);
    }
  }

  return {
    write,
    idle: async () => {
      while (draining) await draining;
    },
  };
}

function failed(call: Call, error: unknown): Outcome {
  return { call, result: { ok: false, error: asServiceError(error) }, effects: [], hints: [] };
}

function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  return typeof code === "number" && (code & 0xff) === 5;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
