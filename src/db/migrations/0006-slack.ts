import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Creates the table with the places of messages that change with their task. schema.ts describes the columns. */
export function slack(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("delivery_places")
        .addColumn("delivery_id", "text", (c) => c.primaryKey())
        .addColumn("begun_at", int)
        .addColumn("place", "text")
        .addColumn("shown", "text")
        .addColumn("is_noted", int, (c) => c.notNull())
        .execute();
    },
  };
}
