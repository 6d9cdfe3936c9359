/**
 * Writes to many rows, in the best way for each database. PostgreSQL uses one statement, because every statement is a
 * round trip. SQLite uses several, because a statement there costs no round trip and cannot change more than one table.
 * Citus uses several as well: it would run the parts of one statement one after the other, each with a round trip to a node,
 * and store their results in between.
 */
import { ServiceError } from "../errors.ts";
import type { Db, Reader, Statement, Tx } from "./database.ts";
import { isSilence } from "./postgres-errors.ts";

interface Bulk<Input, Row, From, Kind extends "read" | "write"> {
  atOnce: Statement<never, Row, Kind>;
  /** Parameters of `atOnce`. */
  toParams: (input: Input) => object;
  inSteps: (from: From, input: Input) => Promise<Row[]>;
}

export type BulkRead<Input, Row> = Bulk<Input, Row, Reader, "read">;

export interface BulkWrite<Input, Row> extends Bulk<Input, Row, Tx, "write"> {
  /** Whether running it twice changes no more than running it once. */
  isRepeatable?: boolean;
}

export async function readBulk<Input, Row>(reader: Reader, bulk: BulkRead<Input, Row>, input: Input): Promise<Row[]> {
  return reader.dialect === "postgres"
    ? reader.run(bulk.atOnce, bulk.toParams(input) as never)
    : bulk.inSteps(reader, input);
}

/** Writes as part of a transaction. */
export async function writeBulkIn<Input, Row>(tx: Tx, bulk: BulkWrite<Input, Row>, input: Input): Promise<Row[]> {
  return tx.dialect === "postgres" ? tx.run(bulk.atOnce, bulk.toParams(input) as never) : bulk.inSteps(tx, input);
}

/**
 * Writes in a separate transaction. All rows belong to one shard (shards.ts).
 *
 * @throws like `Db.write`
 */
export async function writeBulk<Input, Row>(db: Db, bulk: BulkWrite<Input, Row>, input: Input): Promise<Row[]> {
  if (db.dialect !== "postgres") return db.write(async (tx) => bulk.inSteps(tx, input));
  const params = bulk.toParams(input);
  const send = async () => db.writeOne(bulk.atOnce, params as never);
  return bulk.isRepeatable ? sendingAgain(send) : send();
}

/** Sends a statement again, once, if the connection broke and its result is unknown. Only for repeatable statements. */
export async function sendingAgain<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const isUnknown = error instanceof ServiceError && error.code === "COMMIT_UNKNOWN";
    // After waiting for a silent connection, the caller has waited long enough.
    if (!isUnknown || isSilence(error.cause)) throw error;
    // If the second attempt fails as well, the result of the first is still unknown, and the caller must know that.
    return send().catch(() => Promise.reject(error));
  }
}
