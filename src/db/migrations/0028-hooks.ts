import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Adds hooks of coding agents. schema.ts describes the columns. */
export function hooks(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("hook_questions")
        .addColumn("agent_id", "text", (c) => c.notNull())
        .addColumn("call_hash", "text", (c) => c.notNull())
        .addColumn("idempotency_key", "text", (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .addPrimaryKeyConstraint("hook_questions_pkey", ["agent_id", "call_hash"])
        .execute();
      await db.schema
        .createTable("hook_rules")
        .addColumn("project", "text", (c) => c.primaryKey())
        .addColumn("rules", "text", (c) => c.notNull())
        .addColumn("version", int, (c) => c.notNull())
        .addColumn("updated_at", int, (c) => c.notNull())
        .execute();
      await db.schema
        .createTable("hook_calls")
        .addColumn("project", "text", (c) => c.notNull())
        .addColumn("call_hash", "text", (c) => c.notNull())
        .addColumn("tool", "text", (c) => c.notNull())
        .addColumn("arguments", "text", (c) => c.notNull())
        .addColumn("is_cut", int, (c) => c.notNull())
        .addColumn("agent_name", "text", (c) => c.notNull())
        .addColumn("decision", "text")
        .addColumn("simulated", "text")
        .addColumn("count", int, (c) => c.notNull())
        .addColumn("last_at", int, (c) => c.notNull())
        .addPrimaryKeyConstraint("hook_calls_pkey", ["project", "call_hash"])
        .execute();
    },
  };
}
