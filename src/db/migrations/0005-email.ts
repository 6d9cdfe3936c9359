import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Creates the table of email senders. schema.ts describes the columns. */
export function email(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("email_identities")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("display_name", "text", (c) => c.notNull())
        .addColumn("from_email", "text", (c) => c.notNull())
        .addColumn("from_name", "text")
        .addColumn("reply_to", "text")
        .addColumn("transport", "text", (c) => c.notNull())
        .addColumn("transport_config", "text", (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("updated_at", int, (c) => c.notNull())
        .execute();
    },
  };
}
