import { type Expression, sql, type SqlBool } from "kysely";
import type { Dialect, Reader } from "./database.ts";
import type { Located } from "./home.ts";

/** Ids as one parameter, so that the statement is the same for any number of them. */
export type Ids = unknown;

export function idsFor({ dialect }: Pick<Reader, "dialect">, ids: readonly string[]): Ids {
  return dialect === "sqlite" ? JSON.stringify(ids) : ids;
}

export function isAmong(dialect: Dialect, column: string, ids: Ids): Expression<SqlBool> {
  return dialect === "sqlite"
    ? sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${ids}))`
    : sql<SqlBool>`${sql.ref(column)} = any(${ids})`;
}

/** Ids and homes of rows as two parameters. */
export interface Locations {
  ids: Ids;
  homes: unknown;
}

export function locationsFor(reader: Pick<Reader, "dialect">, rows: readonly Located[]): Locations {
  const ids = idsFor(
    reader,
    rows.map(({ id }) => id),
  );
  return { ids, homes: reader.dialect === "sqlite" ? null : rows.map(({ home }) => home) };
}

/**
 * Tests whether a row is one of several. On PostgreSQL by pairs: up to version 16, the database would look for every id
 * with every home. On Citus by both columns, which is how it finds the shards to ask. On SQLite by the id, because the home
 * adds nothing there.
 */
export function isOneOf(
  dialect: Dialect,
  [id, home]: readonly [id: string, home: string],
  { ids, homes }: Locations,
): Expression<SqlBool> {
  switch (dialect) {
    case "sqlite":
      return isAmong(dialect, id, ids);
    case "postgres":
      return sql<SqlBool>`(${sql.ref(id)}, ${sql.ref(home)}) in (select * from unnest(${ids}::text[], ${homes}::integer[]))`;
    case "citus":
      return sql<SqlBool>`(${sql.ref(home)} = any(${homes}::integer[]) and ${sql.ref(id)} = any(${ids}::text[]))`;
  }
}

/**
 * Tests whether a row is one of those that `select` returns: their ids, and their homes if it is asked for them. SQLite
 * would run the query once for each of two columns, and the home adds nothing there.
 */
export function isSelected(
  dialect: Dialect,
  [id, home]: readonly [id: string, home: string],
  select: (withHome: boolean) => Expression<unknown>,
): Expression<SqlBool> {
  return dialect === "sqlite"
    ? sql<SqlBool>`${sql.ref(id)} in ${select(false)}`
    : sql<SqlBool>`(${sql.ref(id)}, ${sql.ref(home)}) in ${select(true)}`;
}
