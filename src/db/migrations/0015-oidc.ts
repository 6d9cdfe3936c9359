import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Accounts of people at sign-in providers. schema.ts describes the columns. */
export function oidc(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  const inKeyOrder = dialect === "sqlite" ? sql`without rowid` : sql``;
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("oidc_links")
        .addColumn("issuer", "text", (c) => c.notNull())
        .addColumn("subject", "text", (c) => c.notNull())
        .addColumn("user_id", "text", (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("used_at", int, (c) => c.notNull())
        .addPrimaryKeyConstraint("oidc_links_key", ["issuer", "subject"])
        .modifyEnd(inKeyOrder)
        .execute();
      // One account for each person: a second one with the same address must not become them.
      await db.schema
        .createIndex("oidc_links_by_user")
        .unique()
        .on("oidc_links")
        .columns(["user_id", "issuer"])
        .execute();
      await db.schema
        .createTable("oidc_sign_ins")
        .addColumn("state_hash", "text", (c) => c.primaryKey().notNull())
        .addColumn("ends_at", int, (c) => c.notNull())
        .modifyEnd(inKeyOrder)
        .execute();
    },
  };
}
