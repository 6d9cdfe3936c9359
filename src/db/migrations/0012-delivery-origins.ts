import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Remembers over restarts which receivers answer. schema.ts describes the columns. */
export function deliveryOrigins(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  const inKeyOrder = dialect === "sqlite" ? sql`without rowid` : sql``;
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("delivery_origins")
        .addColumn("origin", "text", (c) => c.primaryKey().notNull())
        .addColumn("answered_at", int, (c) => c.notNull())
        .modifyEnd(inKeyOrder)
        .execute();
      await sql`create index delivery_origins_by_time on delivery_origins (answered_at)`.execute(db);
    },
  };
}
