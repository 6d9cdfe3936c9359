import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Keeps reads cheap as the number of tasks grows: totals of past hours and days, and better indexes. */
export function cheapReads(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  const inKeyOrder = dialect === "sqlite" ? sql`without rowid` : sql``;

  return {
    up: async (db: Kysely<unknown>) => {
      // A covering index: every count of open tasks reads only the index.
      await db.schema.dropIndex("tasks_open_by_deadline").execute();
      await sql`create index tasks_open on tasks (timeout_at, id, status, assigned_to_email, assigned_to_user_id)
        where ended_at is null`.execute(db);
      // Few of all tasks that were ever assigned to a person are open.
      await db.schema.dropIndex("tasks_by_assignee").execute();
      await sql`create index tasks_by_assignee on tasks (lower(assigned_to_email), status, id)
        where assigned_to_email is not null`.execute(db);

      await db.schema
        .createTable("task_totals")
        .addColumn("span", int, (c) => c.notNull())
        .addColumn("start", int, (c) => c.notNull())
        .addColumn("version", int, (c) => c.notNull())
        .addColumn("computed_at", int)
        .addColumn("totals", "text")
        .addPrimaryKeyConstraint("task_totals_pkey", ["span", "start"])
        .modifyEnd(inKeyOrder)
        .execute();
      await db.schema.createIndex("task_totals_by_computed").on("task_totals").column("computed_at").execute();
    },
  };
}
