import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds who the agents of a project may ask. */
export const projectRecipients: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable("projects").addColumn("recipients", "text").execute();
  },
};
