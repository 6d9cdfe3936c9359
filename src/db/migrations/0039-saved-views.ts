import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Adds the views that people save. schema.ts describes the columns. */
export function savedViews(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("saved_views")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("user_id", "text")
        .addColumn("project", "text")
        .addColumn("name", "text", (c) => c.notNull())
        .addColumn("filter", "text", (c) => c.notNull())
        .addColumn("position", int, (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("updated_at", int, (c) => c.notNull())
        .execute();
      for (const owner of ["user_id", "project"])
        await db.schema
          .createIndex(`saved_views_by_${owner === "user_id" ? "user" : owner}`)
          .on("saved_views")
          .columns([owner, "position"])
          .execute();
    },
  };
}
