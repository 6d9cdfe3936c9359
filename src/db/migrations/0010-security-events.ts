import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** The security log. Rows are never changed. schema.ts describes the columns. */
export function securityEvents(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  const inKeyOrder = dialect === "sqlite" ? sql`without rowid` : sql``;
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("security_events")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("at", int, (c) => c.notNull())
        .addColumn("type", "text", (c) => c.notNull())
        .addColumn("outcome", "text", (c) => c.notNull())
        .addColumn("reason", "text")
        .addColumn("count", int, (c) => c.notNull())
        .addColumn("actor_kind", "text", (c) => c.notNull())
        .addColumn("actor_id", "text")
        .addColumn("actor_email", "text")
        .addColumn("address", "text")
        .addColumn("user_agent", "text")
        .addColumn("target_kind", "text")
        .addColumn("target_id", "text")
        .addColumn("details", "text")
        .addColumn("request_id", "text")
        .modifyEnd(inKeyOrder)
        .execute();
      for (const column of ["type", "outcome", "actor_id", "actor_email", "address"])
        await db.schema
          .createIndex(`security_events_by_${column}`)
          .on("security_events")
          .columns([column, "id"])
          .execute();
    },
  };
}
