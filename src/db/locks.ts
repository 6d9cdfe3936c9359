import { sql, type SelectQueryBuilder } from "kysely";
import type { Dialect, Tx } from "./database.ts";
import type { Schema } from "./schema.ts";

type Select<O> = SelectQueryBuilder<Schema, never, O>;

/**
 * Holds the rows that `select` reads until the transaction ends: others that want them wait. SQLite has a single writer, so
 * that the rows are its own anyway.
 */
export function forUpdate<Q extends Pick<Select<unknown>, "forUpdate">>(dialect: Dialect, select: Q): Q {
  return dialect === "postgres" ? (select.forUpdate() as unknown as Q) : select;
}

/** The same, without the rows that another transaction holds. */
export function forUpdateOfFree<Q extends Pick<Select<unknown>, "forUpdate">>(dialect: Dialect, select: Q): Q {
  return dialect === "postgres" ? (select.forUpdate().skipLocked() as unknown as Q) : select;
}

/** Waits until no other transaction holds this name, and holds it until `tx` ends. */
export async function lockName(tx: Tx, name: string): Promise<void> {
  if (tx.dialect === "sqlite") return;
  await tx.query.selectNoFrom(sql`pg_advisory_xact_lock(hashtextextended(${name}, 0))`.as("turn")).execute();
}
