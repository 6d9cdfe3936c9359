import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Adds whether the host of an agent may hand in answers. Agents that exist start without it. */
export function hostAnswers(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .alterTable("agents")
        .addColumn("host_answers", int, (c) => c.notNull().defaultTo(0))
        .execute();
    },
  };
}
