import { type Expression, sql, type SqlBool } from "kysely";
import type { Dialect, Reader } from "./database.ts";

/** Ids as one parameter, so that the statement is the same for any number of them. */
export type Ids = unknown;

export function idsFor({ dialect }: Pick<Reader, "dialect">, ids: readonly string[]): Ids {
  return dialect === "postgres" ? ids : JSON.stringify(ids);
}

export function isAmong(dialect: Dialect, column: string, ids: Ids): Expression<SqlBool> {
  return dialect === "postgres"
    ? sql<SqlBool>`${sql.ref(column)} = any(${ids})`
    : sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${ids}))`;
}
