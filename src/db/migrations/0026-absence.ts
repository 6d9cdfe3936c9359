import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Adds when people are away, and on tasks the person that a delegate stands in for. schema.ts describes the columns. */
export function absence(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      const int = dialect === "postgres" ? "bigint" : "integer";
      await db.schema.alterTable("users").addColumn("absent_from", int).execute();
      await db.schema.alterTable("users").addColumn("absent_until", int).execute();
      await db.schema.alterTable("users").addColumn("delegate_user_id", "text").execute();
      await db.schema.alterTable("tasks").addColumn("delegated_from_user_id", "text").execute();
      await db.schema.alterTable("tasks").addColumn("delegated_from_email", "text").execute();
      await db.schema.alterTable("tasks").addColumn("delegated_until", int).execute();
    },
  };
}
