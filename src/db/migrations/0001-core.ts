import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Creates the tables of tasks, their documents, the audit trail, and deliveries. schema.ts describes the columns. */
export function core(dialect: Dialect): Migration {
  // Both types have 64 bits. SQLite treats a primary key of type `integer` specially, but no primary key here has it.
  const int = dialect === "postgres" ? "bigint" : "integer";
  // A table without rowid saves SQLite one tree.
  const inKeyOrder = dialect === "sqlite" ? sql`without rowid` : sql``;

  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("tasks")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("idempotency_key", "text", (c) => c.notNull().unique())
        .addColumn("status", "text", (c) => c.notNull())
        .addColumn("task", "text", (c) => c.notNull())
        .addColumn("timeout_seconds", int, (c) => c.notNull())
        .addColumn("timeout_at", int, (c) => c.notNull())
        .addColumn("redact_payload", int, (c) => c.notNull())
        .addColumn("verification_attempt", int, (c) => c.notNull())
        .addColumn("verifier_result", "text")
        .addColumn("assigned_to_user_id", "text")
        .addColumn("assigned_to_email", "text")
        .addColumn("claimed_by_email", "text")
        .addColumn("claim_expires_at", int)
        .addColumn("callback_url", "text")
        .addColumn("listed_length", int, (c) => c.notNull())
        .addColumn("schemas_length", int, (c) => c.notNull())
        .addColumn("audit_seq", int, (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("updated_at", int, (c) => c.notNull())
        .addColumn("ended_at", int)
        .addColumn("completed_at", int)
        .addColumn("timed_out_at", int)
        .addColumn("completed_by_email", "text")
        .addColumn("completed_by_user_id", "text")
        .addColumn("completed_via_channel", "text")
        .execute();
      // Ids begin with the time of creation, so the order of the primary key is the order of creation.
      await db.schema.createIndex("tasks_by_status").on("tasks").columns(["status", "id"]).execute();
      await sql`create index tasks_open_by_deadline on tasks (timeout_at, id) where ended_at is null`.execute(db);
      await sql`create index tasks_ended on tasks (ended_at) where ended_at is not null`.execute(db);
      await sql`create index tasks_by_assignee on tasks (lower(assigned_to_email), id) where assigned_to_email is not null`.execute(
        db,
      );

      await db.schema
        .createTable("task_documents")
        .addColumn("task_id", "text", (c) => c.primaryKey())
        .addColumn("payload", "text", (c) => c.notNull())
        .addColumn("payload_schema", "text", (c) => c.notNull())
        .addColumn("response_schema", "text", (c) => c.notNull())
        .addColumn("form_definition", "text")
        .addColumn("assign_to", "text")
        .addColumn("notify", "text")
        .addColumn("verifier_config", "text")
        .execute();

      await db.schema
        .createTable("task_responses")
        .addColumn("task_id", "text", (c) => c.primaryKey())
        .addColumn("response", "text", (c) => c.notNull())
        .execute();

      await db.schema
        .createTable("audit_entries")
        .addColumn("task_id", "text", (c) => c.notNull())
        .addColumn("seq", int, (c) => c.notNull())
        .addColumn("id", "text", (c) => c.notNull())
        .addColumn("action", "text", (c) => c.notNull())
        .addColumn("from_status", "text")
        .addColumn("to_status", "text")
        .addColumn("actor_type", "text", (c) => c.notNull())
        .addColumn("actor_email", "text")
        .addColumn("channel", "text")
        .addColumn("verifier_reason", "text")
        .addColumn("embed_sub", "text")
        .addColumn("extra", "text")
        .addColumn("created_at", int, (c) => c.notNull())
        .addPrimaryKeyConstraint("audit_entries_pkey", ["task_id", "seq"])
        .modifyEnd(inKeyOrder)
        .execute();

      await db.schema
        .createTable("verification_attempts")
        .addColumn("task_id", "text", (c) => c.notNull())
        .addColumn("attempt", int, (c) => c.notNull())
        .addColumn("id", "text", (c) => c.notNull())
        .addColumn("response", "text", (c) => c.notNull())
        .addColumn("reason", "text", (c) => c.notNull())
        .addColumn("actor_email", "text")
        .addColumn("channel", "text")
        .addColumn("created_at", int, (c) => c.notNull())
        .addPrimaryKeyConstraint("verification_attempts_pkey", ["task_id", "attempt"])
        .execute();

      await db.schema
        .createTable("deliveries")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("kind", "text", (c) => c.notNull())
        .addColumn("task_id", "text", (c) => c.notNull())
        .addColumn("destination", "text", (c) => c.notNull())
        .addColumn("status", "text", (c) => c.notNull())
        .addColumn("attempt_count", int, (c) => c.notNull())
        .addColumn("next_attempt_at", int)
        .addColumn("last_attempt_at", int)
        .addColumn("last_status_code", int)
        .addColumn("last_error", "text")
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("updated_at", int, (c) => c.notNull())
        .execute();
      await db.schema.createIndex("deliveries_by_task").on("deliveries").column("task_id").execute();

      await db.schema
        .createTable("delivery_bodies")
        .addColumn("delivery_id", "text", (c) => c.primaryKey())
        .addColumn("body", "text", (c) => c.notNull())
        .execute();
    },
  };
}
