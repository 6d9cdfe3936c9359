import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Adds tokens that people make for their own assistants. schema.ts describes the columns. */
export function personalTokens(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("personal_tokens")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("user_id", "text", (c) => c.notNull())
        .addColumn("name", "text", (c) => c.notNull())
        .addColumn("prefix", "text", (c) => c.notNull())
        .addColumn("hash", "text", (c) => c.notNull().unique())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("expires_at", int, (c) => c.notNull())
        .addColumn("last_used_at", int)
        .execute();
      await db.schema.createIndex("personal_tokens_by_user").on("personal_tokens").columns(["user_id", "id"]).execute();
    },
  };
}
