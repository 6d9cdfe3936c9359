import { CompiledQuery, type Kysely, type KyselyPlugin } from "kysely";
import type { Db, Reader, Tx } from "../../src/db/database.ts";
import type { Schema } from "../../src/db/schema.ts";
import { ServiceError } from "../../src/errors.ts";

/**
 * How a statement fails. Refused: it never reached the database. Lost: it was executed, but the answer was lost. SQLite
 * cannot lose an answer, so there the whole transaction is rolled back, as on a full disk.
 */
export type Failure = "refused" | "lost";

/** Wraps the database of a service, and makes one statement fail. */
export interface FaultyDb {
  wrap(db: Db): Db;
  /** Makes the `number`th statement or commit from now on fail, counted from 1. */
  arm(number: number, failure: Failure): void;
  hasStruck(): boolean;
  /** @returns whether a statement failed */
  disarm(): boolean;
}

/** Where a statement runs, which decides how its failure looks. */
interface Place {
  isInTransaction: boolean;
  /** The unwrapped connection. */
  query: Kysely<Schema>;
}

export function createFaultyDb(): FaultyDb {
  let left = 0;
  let failure: Failure = "refused";
  let hasStruck = false;
  let dialect: Db["dialect"] = "sqlite";

  /** Returns whether this statement is the one that fails. */
  function strikes(): boolean {
    if (left === 0 || --left > 0) return false;
    hasStruck = true;
    return true;
  }

  function errorAt({ isInTransaction }: Place): Error {
    if (!isInTransaction) return unavailable();
    // The error codes of the drivers.
    const code = failure === "refused" ? "53100" : "ECONNRESET";
    return Object.assign(new Error("made to fail"), dialect === "sqlite" ? { errcode: 13 } : { code });
  }

  /** Applies the effect of a lost statement. */
  async function lose({ isInTransaction, query }: Place): Promise<void> {
    if (dialect === "sqlite" && isInTransaction) await query.executeQuery(CompiledQuery.raw("rollback"));
  }

  async function statement<T>(place: Place, run: () => Promise<T>): Promise<T> {
    if (!strikes()) return run();
    if (failure === "lost") {
      await run();
      await lose(place);
    }
    throw errorAt(place);
  }

  function plugin(place: Place): KyselyPlugin {
    /** Queries that fail after they have run. */
    const doomed = new WeakSet<object>();
    return {
      transformQuery: ({ node, queryId }) => {
        if (strikes()) {
          if (failure === "refused") throw errorAt(place);
          doomed.add(queryId);
        }
        return node;
      },
      transformResult: async ({ queryId, result }) => {
        if (!doomed.has(queryId)) return result;
        await lose(place);
        throw errorAt(place);
      },
    };
  }

  function wrapReader<R extends Reader>(reader: R): R {
    const query = reader.query as Kysely<Schema>;
    const place = { isInTransaction: false, query };
    return {
      ...reader,
      query: query.withPlugin(plugin(place)),
      run: async (asked: never, params: never) => statement(place, async () => reader.run(asked, params)),
    };
  }

  function wrapTx(tx: Tx): Tx {
    const place = { isInTransaction: true, query: tx.query };
    return {
      ...tx,
      query: tx.query.withPlugin(plugin(place)),
      run: async (asked, params) => statement(place, async () => tx.run(asked, params)),
    };
  }

  /** Fails at the start, or loses the commit; a commit of SQLite cannot be lost. */
  async function transaction<T>(run: () => Promise<T>): Promise<T> {
    if (failure === "refused" && strikes()) throw unavailable();
    const value = await run();
    if (failure === "lost" && dialect !== "sqlite" && strikes())
      throw new ServiceError("COMMIT_UNKNOWN", { cause: new Error("made to fail") });
    return value;
  }

  const wrap = (db: Db): Db => {
    ({ dialect } = db);
    const write: Db["write"] = async (fn) => transaction(async () => db.write(async (tx) => fn(wrapTx(tx))));
    return {
      ...wrapReader(db),
      heavy: wrapReader(db.heavy),
      write,
      writeOne: async (asked, params) =>
        dialect === "sqlite"
          ? write(async (tx) => tx.run(asked, params))
          : transaction(async () => db.writeOne(asked, params)),
      ping: async () => statement({ isInTransaction: false, query: db.query as Kysely<Schema> }, async () => db.ping()),
    };
  };

  return {
    wrap,
    arm: (number, how) => {
      left = number;
      failure = how;
      hasStruck = false;
    },
    hasStruck: () => hasStruck,
    disarm: () => {
      left = 0;
      return hasStruck;
    },
  };
}

function unavailable(): ServiceError {
  return new ServiceError("DATABASE_UNAVAILABLE", { cause: new Error("made to fail") });
}
