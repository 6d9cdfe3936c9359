import { CompiledQuery, type Kysely, type KyselyPlugin } from "kysely";
import type { Db, Reader, Tx } from "../../src/db/database.ts";
import type { Schema } from "../../src/db/schema.ts";
import { ServiceError } from "../../src/errors.ts";

/**
 * How a statement fails. Refused: it never reached the database. Lost: it was carried out and nobody was told; on SQLite,
 * which cannot fail so, it takes the whole transaction with it, as a full disk does.
 */
export type Failure = "refused" | "lost";

/** Stands between a service and its database, and makes one statement fail. */
export interface FaultyDb {
  wrap(db: Db): Db;
  /** The `number`th statement or commit from now on fails, counted from 1. */
  arm(number: number, failure: Failure): void;
  hasStruck(): boolean;
  /** @returns whether there was such a one */
  disarm(): boolean;
}

/** Where a statement is, which decides what its failure looks like. */
interface Place {
  isInTransaction: boolean;
  /** The bare connection. */
  query: Kysely<Schema>;
}

export function createFaultyDb(): FaultyDb {
  let left = 0;
  let failure: Failure = "refused";
  let hasStruck = false;
  let dialect: Db["dialect"] = "sqlite";

  /** Whether it is this one that fails. */
  function strikes(): boolean {
    if (left === 0 || --left > 0) return false;
    hasStruck = true;
    return true;
  }

  function errorAt({ isInTransaction }: Place): Error {
    if (!isInTransaction) return unavailable();
    // As the drivers say it.
    const code = failure === "refused" ? "53100" : "ECONNRESET";
    return Object.assign(new Error("made to fail"), dialect === "postgres" ? { code } : { errcode: 13 });
  }

  /** What became of a statement that is lost. */
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
    /** Those that fail once they have run. */
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

  /** It cannot be begun, or its commit is lost; that of SQLite is not. */
  async function transaction<T>(run: () => Promise<T>): Promise<T> {
    if (failure === "refused" && strikes()) throw unavailable();
    const value = await run();
    if (failure === "lost" && dialect === "postgres" && strikes())
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
        dialect === "postgres"
          ? transaction(async () => db.writeOne(asked, params))
          : write(async (tx) => tx.run(asked, params)),
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
