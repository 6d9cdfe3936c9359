import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Adds the links by which people set their own password. schema.ts describes the columns. */
export function invitations(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("invitations")
        .addColumn("user_id", "text", (c) => c.primaryKey())
        .addColumn("kind", "text", (c) => c.notNull())
        .addColumn("hash", "text", (c) => c.notNull().unique())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("expires_at", int, (c) => c.notNull())
        .execute();
    },
  };
}
