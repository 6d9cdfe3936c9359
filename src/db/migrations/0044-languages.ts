import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the languages that people read, and those of tasks. schema.ts describes the columns. */
export const languages: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable("users").addColumn("language", "text").execute();
    await db.schema.alterTable("task_documents").addColumn("locale", "text").execute();
  },
};
