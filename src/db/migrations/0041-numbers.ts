import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds what statistics group tasks by, and the order of the trail of all tasks. schema.ts describes the columns. */
export const numbers: Migration = {
  up: async (db: Kysely<unknown>) => {
    // A statement for each column: SQLite adds one at a time.
    await db.schema.alterTable("tasks").addColumn("question", "text").execute();
    await db.schema.alterTable("tasks").addColumn("edited", "integer").execute();
    // Ids begin with the time, so this is the order of the trail of all tasks.
    await db.schema.createIndex("audit_entries_by_id").on("audit_entries").column("id").execute();
  },
};
