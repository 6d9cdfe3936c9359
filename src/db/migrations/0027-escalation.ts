import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds what happens to a task while no one answers. schema.ts describes the columns. */
export const escalation: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const column of ["escalation", "on_timeout"])
      await db.schema.alterTable("task_documents").addColumn(column, "text").execute();
    // One at a time: SQLite adds one column with a statement.
    await db.schema.alterTable("tasks").addColumn("ladder", "text").execute();
    await sql`alter table tasks add column next_step_at bigint`.execute(db);
    await sql`alter table tasks add column urgent bigint not null default 0`.execute(db);
    await db.schema
      .createTable("escalation_templates")
      .addColumn("project", "text", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("steps", "text", (c) => c.notNull())
      .addColumn("updated_at", "bigint", (c) => c.notNull())
      .addPrimaryKeyConstraint("escalation_templates_pkey", ["project", "name"])
      .execute();
    await sql`create index tasks_next_step on tasks (next_step_at, id) where next_step_at is not null`.execute(db);
  },
};
