import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Adds what happens to a task while no one answers. schema.ts describes the columns. */
export function escalation(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      const int = dialect === "postgres" ? "bigint" : "integer";
      for (const column of ["escalation", "on_timeout"])
        await db.schema.alterTable("task_documents").addColumn(column, "text").execute();
      await db.schema.alterTable("tasks").addColumn("ladder", "text").execute();
      await db.schema.alterTable("tasks").addColumn("next_step_at", int).execute();
      await db.schema
        .alterTable("tasks")
        .addColumn("urgent", int, (c) => c.notNull().defaultTo(0))
        .execute();
      await db.schema
        .createTable("escalation_templates")
        .addColumn("project", "text", (c) => c.notNull())
        .addColumn("name", "text", (c) => c.notNull())
        .addColumn("steps", "text", (c) => c.notNull())
        .addColumn("updated_at", int, (c) => c.notNull())
        .addPrimaryKeyConstraint("escalation_templates_pkey", ["project", "name"])
        .execute();
      await sql`create index tasks_next_step on tasks (next_step_at, id) where next_step_at is not null`.execute(db);
    },
  };
}
