import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the language that a person reads. schema.ts describes the column. */
export const languages: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable("users").addColumn("language", "text").execute();
  },
};
