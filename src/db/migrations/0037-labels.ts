import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";
import { homeInSqlite } from "./0021-homes.ts";
import { spreadAsTasks } from "./0024-approvals.ts";

/** Adds labels, priorities and the line of facts. schema.ts describes the columns. */
export function labels(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .alterTable("tasks")
        // Normal.
        .addColumn("priority", "integer", (c) => c.notNull().defaultTo(1))
        .execute();
      for (const name of ["labels", "facts"]) await db.schema.alterTable("tasks").addColumn(name, "text").execute();
      const table = db.schema
        .createTable("task_labels")
        .addColumn("label", "text", (c) => c.notNull())
        .addColumn("task_id", "text", (c) => c.notNull());
      if (dialect === "sqlite") {
        // As in the other tables of tasks, the database computes the home.
        await table
          .addColumn("home", "integer", (c) => c.generatedAlwaysAs(homeInSqlite("task_id")))
          .addPrimaryKeyConstraint("task_labels_pkey", ["task_id", "label"])
          .execute();
      } else {
        await table
          .addColumn("home", "integer", (c) => c.notNull())
          .addPrimaryKeyConstraint("task_labels_pkey", ["task_id", "label", "home"])
          .execute();
        await spreadAsTasks(db, "task_labels");
      }
      // Ids begin with the time, so this is also the order of the newest.
      await db.schema.createIndex("task_labels_by_label").on("task_labels").columns(["label", "task_id"]).execute();
    },
  };
}
