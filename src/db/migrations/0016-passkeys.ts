import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/**
 * Passkeys, and the challenges that were used. Each session also gets a column that says how its person proved who they are.
 * Sessions of earlier releases have null there: all of them began with a password.
 */
export function passkeys(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  const inKeyOrder = dialect === "sqlite" ? sql`without rowid` : sql``;
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("passkeys")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("credential_id", "text", (c) => c.notNull().unique())
        .addColumn("user_id", "text", (c) => c.notNull())
        .addColumn("rp_id", "text", (c) => c.notNull())
        .addColumn("public_key", "text", (c) => c.notNull())
        .addColumn("counter", int, (c) => c.notNull())
        .addColumn("transports", "text", (c) => c.notNull())
        .addColumn("name", "text", (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("last_used_at", int)
        .execute();
      await db.schema.createIndex("passkeys_by_user").on("passkeys").columns(["user_id", "id"]).execute();
      await db.schema
        .createTable("passkey_challenges")
        .addColumn("hash", "text", (c) => c.primaryKey())
        .addColumn("expires_at", int, (c) => c.notNull())
        .modifyEnd(inKeyOrder)
        .execute();
      await db.schema.alterTable("sessions").addColumn("signed_in_with", "text").execute();
    },
  };
}
