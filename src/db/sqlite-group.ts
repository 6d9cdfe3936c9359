import type { Tx } from "./database.ts";
import type { Connection } from "./sqlite-connection.ts";
import { asServiceError, GroupLost } from "./sqlite-errors.ts";
import { readerOn } from "./sqlite-reader.ts";

/** The most calls that share one commit, and how long a commit may gather them. */
const GROUP_CALLS = 64;
const GROUP_MS = 5;

/** A waiting write. */
export interface Call {
  fn: (tx: Tx) => Promise<unknown>;
  resolve: (value: never) => void;
  reject: (reason: unknown) => void;
}

/** The result or error of a call, and the work after its commit. */
export interface Outcome {
  call: Call;
  result: { ok: true; value: unknown } | { ok: false; error: unknown };
  effects: (() => void)[];
  hints: string[];
}

interface Writing extends Pick<Tx, "query" | "run"> {
  connection: Connection;
  clock: () => number;
}

/**
 * Group commit: the calls that wait in the same turn of the event loop run one after the other, each inside a
 * savepoint. They share one commit and so one fsync. If the whole group fails, each of its calls is run again alone.
 *
 * @returns a function that takes calls from the front of a queue and commits them
 */
export function createGroupCommit(
  connection: Connection,
  clock: () => number,
): (waiting: Call[]) => Promise<Outcome[]> {
  const { query, run } = readerOn(insideTransaction(connection));
  const on: Writing = { connection, clock, query, run };
  return async (waiting) => commitGroup(on, waiting);
}

async function commitGroup(on: Writing, waiting: Call[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const calls: Call[] = [];
  const started = performance.now();
  const hasRoom = () => calls.length < GROUP_CALLS && performance.now() - started < GROUP_MS;
  try {
    begin(on);
    for (let call = waiting.shift(); call; call = hasRoom() ? waiting.shift() : undefined) {
      calls.push(call);
      outcomes.push(await runInSavepoint(on, call));
    }
    commit(on);
    return outcomes;
  } catch (error) {
    rollback(on);
    // `begin` itself failed, so the first call is still in the queue.
    if (calls.length === 0) calls.push(...waiting.splice(0, GROUP_CALLS));
    if (calls.length === 1) return [failed(calls[0]!, error)];
    const alone: Outcome[] = [];
    for (const call of calls) alone.push(await runAlone(on, call));
    return alone;
  }
}

async function runAlone(on: Writing, call: Call): Promise<Outcome> {
  try {
    begin(on);
    const outcome = await runInSavepoint(on, call);
    commit(on);
    return outcome;
  } catch (error) {
    rollback(on);
    return failed(call, error);
  }
}

/** @throws GroupLost when SQLite has ended the transaction */
async function runInSavepoint(on: Writing, call: Call): Promise<Outcome> {
  const { connection } = on;
  const effects: (() => void)[] = [];
  const hints: string[] = [];
  connection.all("savepoint call", []);
  try {
    const value = await call.fn(txOn(on, effects, hints));
    if (!connection.database.isTransaction) throw new GroupLost("SQLite ended the transaction");
    connection.all("release call", []);
    return { call, result: { ok: true, value }, effects, hints };
  } catch (error) {
    if (!connection.database.isTransaction)
      throw error instanceof GroupLost ? error : new GroupLost("SQLite ended the transaction", { cause: error });
    connection.all("rollback to call", []);
    connection.all("release call", []);
    return failed(call, error);
  }
}

function txOn({ query, run, clock }: Writing, effects: (() => void)[], hints: string[]): Tx {
  return {
    dialect: "sqlite",
    query,
    run,
    now: clock,
    afterCommit: (effect) => void effects.push(effect),
    hint: (hint) => void hints.push(hint),
  };
}

function begin({ connection }: Writing): void {
  connection.all("begin immediate", []);
}

function commit({ connection }: Writing): void {
  connection.all("commit", []);
}

function rollback({ connection }: Writing): void {
  if (connection.database.isTransaction) connection.all("rollback", []);
}

function failed(call: Call, error: unknown): Outcome {
  return { call, result: { ok: false, error: asServiceError(error) }, effects: [], hints: [] };
}

/**
 * Returns the same connection for statements of calls. If SQLite has ended the transaction, it rejects further
 * statements, because each would run and commit by itself.
 */
function insideTransaction(connection: Connection): Connection {
  const check = () => {
    if (!connection.database.isTransaction) throw new GroupLost("SQLite ended the transaction");
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
