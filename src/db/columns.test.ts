import assert from "node:assert/strict";
import { sql } from "kysely";
import { testOnBoth } from "../../test/support/service.ts";
import { COLUMNS, type ColumnType } from "./columns.ts";

/** Kysely's own tables for migrations. */
const NOT_OURS = new Set(["kysely_migration", "kysely_migration_lock"]);
/** The index of words, and the tables that SQLite makes for it. */
const WORDS = /^task_words(_|$)/;

testOnBoth("every column of every table is listed once, with its type", async ({ ctx: { db } }) => {
  const found =
    db.dialect === "postgres"
      ? sql<FoundColumn>`select table_name as "table", column_name as name, data_type as type
          from information_schema.columns where table_schema = current_schema()`
      : sql<FoundColumn>`select m.name as "table", c.name as name, c.type as type
          from sqlite_schema m join pragma_table_xinfo(m.name) c where m.type = 'table'`;
  const { rows } = await db.query.getExecutor().executeQuery<FoundColumn>(found.compile(db.query));
  const made = rows
    .filter(({ table }) => !NOT_OURS.has(table) && !WORDS.test(table) && !table.startsWith("sqlite_"))
    .map(({ table, name, type }) => `${table}.${name} ${type.toLowerCase()}`);
  const typeOf = (type: ColumnType) => {
    if (type === "json") return "text";
    return db.dialect === "sqlite" && type === "bigint" ? "integer" : type;
  };
  const listed = Object.entries(COLUMNS).flatMap(([table, columns]) =>
    Object.entries(columns).map(([name, type]) => `${table}.${name} ${typeOf(type)}`),
  );
  assert.deepEqual(made.toSorted(), listed.toSorted());
});

interface FoundColumn {
  table: string;
  name: string;
  type: string;
}
