import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the actions that a task asks about. */
export const actions: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable("task_documents").addColumn("action", "text").execute();
  },
};
