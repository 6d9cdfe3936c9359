import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Marks deliveries of any kind that are sent again when their task changes. Until now, only one kind had this. */
export function liveDeliveries(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .alterTable("deliveries")
        .addColumn("is_live", int, (column) => column.notNull().defaultTo(0))
        .execute();
      await sql`update deliveries set is_live = 1 where kind = 'slack'`.execute(db);
    },
  };
}
