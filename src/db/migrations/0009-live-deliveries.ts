import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Marks deliveries that are made again whenever their task changes, of whatever kind. Until now these were those of one kind. */
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
