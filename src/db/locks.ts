import { sql, type SelectQueryBuilder } from "kysely";
import type { Dialect, Tx } from "./database.ts";
import type { Schema } from "./schema.ts";

type Select<O> = SelectQueryBuilder<Schema, never, O>;

/**
 * Locks the rows that `select` reads until the transaction ends. On SQLite, this has no effect, because only one
 * transaction writes at a time.
 */
export function forUpdate<Q extends Pick<Select<unknown>, "forUpdate">>(dialect: Dialect, select: Q): Q {
  return dialect === "sqlite" ? select : (select.forUpdate() as unknown as Q);
}

/** Does the same, but skips rows that another transaction has locked. */
export function forUpdateOfFree<Q extends Pick<Select<unknown>, "forUpdate">>(dialect: Dialect, select: Q): Q {
  return dialect === "sqlite" ? select : (select.forUpdate().skipLocked() as unknown as Q);
}

/** Waits until no other transaction has locked this name, and locks it until `tx` ends. */
export async function lockName(tx: Tx, name: string): Promise<void> {
  if (tx.dialect === "sqlite") return;
  await tx.query.selectNoFrom(sql`pg_advisory_xact_lock(hashtextextended(${name}, 0))`.as("turn")).execute();
}
