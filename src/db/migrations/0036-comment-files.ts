import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the files that a comment names. */
export const commentFiles: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable("task_comments").addColumn("files", "text").execute();
  },
};
