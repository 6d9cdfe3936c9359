import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Adds agents and their tokens. schema.ts describes the columns. */
export function agents(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("agents")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("project", "text", (c) => c.notNull())
        .addColumn("name", "text", (c) => c.notNull())
        .addColumn("description", "text")
        .addColumn("owner_user_id", "text")
        .addColumn("scopes", "text", (c) => c.notNull())
        .addColumn("recipients", "text")
        .addColumn("max_open_tasks", int, (c) => c.notNull())
        .addColumn("max_tasks_per_minute", int, (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("last_used_at", int)
        .addColumn("limited_at", int)
        .addColumn("disabled_at", int)
        .addColumn("cancels_until", int)
        .addUniqueConstraint("agents_name", ["project", "name"])
        .execute();
      await db.schema
        .createTable("agent_tokens")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("agent_id", "text", (c) => c.notNull())
        .addColumn("prefix", "text", (c) => c.notNull())
        .addColumn("hash", "text", (c) => c.notNull().unique())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("expires_at", int)
        .addColumn("last_used_at", int)
        .addColumn("revoked_at", int)
        .execute();
      await db.schema.createIndex("agent_tokens_by_agent").on("agent_tokens").columns(["agent_id", "id"]).execute();

      // Tasks of other askers are not in these indexes.
      await sql`create index tasks_by_agent on tasks (asked_by_id, id) where asked_by_kind = 'agent'`.execute(db);
      await sql`create index tasks_open_by_agent on tasks (asked_by_id)
        where asked_by_kind = 'agent' and ended_at is null`.execute(db);
      for (const column of ["agent_id", "agent_name"])
        await db.schema.alterTable("audit_entries").addColumn(column, "text").execute();
    },
  };
}
