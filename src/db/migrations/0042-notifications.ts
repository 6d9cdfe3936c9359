import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Adds how people want to be told, and the browsers in which they are. schema.ts describes the columns. */
export function notifications(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("notification_choices")
        .addColumn("user_id", "text", (c) => c.primaryKey())
        .addColumn("quiet_from", "text")
        .addColumn("quiet_until", "text")
        .addColumn("muted_projects", "text", (c) => c.notNull())
        .addColumn("digest", "text", (c) => c.notNull())
        .addColumn("digest_time", "text", (c) => c.notNull())
        .addColumn("digest_due_at", int)
        .execute();
      await db.schema
        .createIndex("notification_choices_due")
        .on("notification_choices")
        .column("digest_due_at")
        .execute();
      await db.schema
        .createTable("push_subscriptions")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("user_id", "text", (c) => c.notNull())
        .addColumn("endpoint", "text", (c) => c.notNull())
        .addColumn("key_id", "text", (c) => c.notNull())
        .addColumn("user_agent", "text")
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("told_at", int)
        .addColumn("told_task_id", "text")
        .addColumn("told_purpose", "text")
        .addColumn("failure", "text")
        .execute();
      await db.schema.createIndex("push_subscriptions_by_user").on("push_subscriptions").column("user_id").execute();
    },
  };
}
