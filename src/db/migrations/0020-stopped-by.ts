import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds who stopped an agent, so that its tasks are cancelled in their name. */
export const stoppedBy: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable("agents").addColumn("stopped_by", "text").execute();
  },
};
