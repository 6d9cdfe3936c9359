import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/**
 * Where each session was started, and when its person last gave their password. Sessions of earlier releases have null: for
 * them, that was the sign-in.
 */
export function sessions(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema.alterTable("sessions").addColumn("address", "text").execute();
      await db.schema.alterTable("sessions").addColumn("user_agent", "text").execute();
      await db.schema.alterTable("sessions").addColumn("confirmed_at", int).execute();
    },
  };
}
