import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";
import { homeInSqlite } from "./0021-homes.ts";
import { spreadAsTasks } from "./0024-approvals.ts";

/** Adds the times until which people hide tasks from their own lists. schema.ts describes the columns. */
export function snoozes(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      const table = db.schema
        .createTable("task_snoozes")
        .addColumn("task_id", "text", (c) => c.notNull())
        .addColumn("user_id", "text", (c) => c.notNull())
        .addColumn("until", int, (c) => c.notNull())
        .addColumn("version", int, (c) => c.notNull())
        .addColumn("was_mine", int, (c) => c.notNull());
      if (dialect === "sqlite") {
        // As in the other tables of tasks, the database computes the home.
        await table
          .addColumn("home", "integer", (c) => c.generatedAlwaysAs(homeInSqlite("task_id")))
          .addPrimaryKeyConstraint("task_snoozes_pkey", ["task_id", "user_id"])
          .execute();
      } else {
        await table
          .addColumn("home", "integer", (c) => c.notNull())
          .addPrimaryKeyConstraint("task_snoozes_pkey", ["task_id", "user_id", "home"])
          .execute();
        await spreadAsTasks(db, "task_snoozes");
      }
      await db.schema.createIndex("task_snoozes_by_user").on("task_snoozes").columns(["user_id", "until"]).execute();
    },
  };
}
