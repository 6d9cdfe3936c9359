import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";
import { homeInSqlite } from "./0021-homes.ts";
import { spreadAsTasks } from "./0024-approvals.ts";

/** Adds versions of what tasks ask. schema.ts describes the columns. */
export function revisions(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      const int = dialect === "postgres" ? "bigint" : "integer";
      await db.schema
        .alterTable("tasks")
        .addColumn("version", int, (c) => c.notNull().defaultTo(1))
        .execute();
      await db.schema.alterTable("task_comments").addColumn("version", int).execute();
      const table = db.schema
        .createTable("task_versions")
        .addColumn("task_id", "text", (c) => c.notNull())
        .addColumn("version", int, (c) => c.notNull())
        .addColumn("payload", "text", (c) => c.notNull())
        .addColumn("payload_schema", "text", (c) => c.notNull())
        .addColumn("action", "text");
      if (dialect === "sqlite") {
        // As in the other tables of tasks, the database computes the home.
        await table
          .addColumn("home", "integer", (c) => c.generatedAlwaysAs(homeInSqlite("task_id")))
          .addPrimaryKeyConstraint("task_versions_pkey", ["task_id", "version"])
          .execute();
        return;
      }
      await table
        .addColumn("home", "integer", (c) => c.notNull())
        .addPrimaryKeyConstraint("task_versions_pkey", ["task_id", "version", "home"])
        .execute();
      await spreadAsTasks(db, "task_versions");
    },
  };
}
