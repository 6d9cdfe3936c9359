import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds what was decided, and indexes of closed tasks in the order in which they ended. schema.ts describes the columns. */
export const decisions: Migration = {
  up: async (db: Kysely<unknown>) => {
    // A statement for each column: SQLite adds one at a time.
    await db.schema.alterTable("tasks").addColumn("decision", "text").execute();
    await db.schema.alterTable("tasks").addColumn("decision_tone", "text").execute();
    await db.schema.dropIndex("tasks_ended").execute();
    await sql`create index tasks_ended on tasks (ended_at, id) where ended_at is not null`.execute(db);
    // The closed tasks of one person.
    await sql`create index tasks_ended_by_user on tasks (assigned_to_user_id, ended_at, id)
      where ended_at is not null and assigned_to_user_id is not null`.execute(db);
  },
};
