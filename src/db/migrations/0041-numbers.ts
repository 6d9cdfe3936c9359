import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds what statistics group tasks by. schema.ts describes the columns. */
export const numbers: Migration = {
  up: async (db: Kysely<unknown>) => {
    // A statement for each column: SQLite adds one at a time.
    await db.schema.alterTable("tasks").addColumn("question", "text").execute();
    await db.schema.alterTable("tasks").addColumn("edited", "integer").execute();
  },
};
