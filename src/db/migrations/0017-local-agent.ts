import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Remembers that the agent `local` was made, and which tokens the service derived. schema.ts describes the columns. */
export function localAgent(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("local_agent")
        .addColumn("id", int, (c) => c.primaryKey())
        .addColumn("agent_id", "text", (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .execute();
      await db.schema.alterTable("agent_tokens").addColumn("derived", "text").execute();
    },
  };
}
