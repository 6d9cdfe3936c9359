import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/**
 * Creates the tables of users, sessions, embed keys, rate limits and candidates of tasks. schema.ts describes the
 * columns.
 */
export function people(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  const inKeyOrder = dialect === "sqlite" ? sql`without rowid` : sql``;

  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("users")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("email", "text")
        .addColumn("email_key", "text", (c) => c.unique())
        .addColumn("display_name", "text")
        .addColumn("is_operator", int, (c) => c.notNull())
        .addColumn("role", "text")
        .addColumn("access_level", "text")
        .addColumn("pool", "text")
        .addColumn("slack_team_id", "text")
        .addColumn("slack_user_id", "text")
        .addColumn("time_zone", "text")
        .addColumn("password_hash", "text")
        .addColumn("active", int, (c) => c.notNull())
        .addColumn("last_assigned_at", int)
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("updated_at", int, (c) => c.notNull())
        .execute();
      await sql`create unique index users_by_slack on users (slack_team_id, slack_user_id) where slack_user_id is not null`.execute(
        db,
      );
      await sql`create index users_operators on users (id) where is_operator = 1 and active = 1`.execute(db);
      await sql`create index users_by_pool on users (pool) where pool is not null`.execute(db);
      await sql`create index users_by_role on users (role) where role is not null`.execute(db);

      await db.schema
        .createTable("sessions")
        .addColumn("hash", "text", (c) => c.primaryKey())
        .addColumn("user_id", "text", (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("seen_at", int, (c) => c.notNull())
        .modifyEnd(inKeyOrder)
        .execute();
      await db.schema.createIndex("sessions_by_user").on("sessions").column("user_id").execute();

      await db.schema
        .createTable("service_keys")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("name", "text", (c) => c.notNull())
        .addColumn("prefix", "text", (c) => c.notNull())
        .addColumn("hash", "text", (c) => c.notNull().unique())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("last_used_at", int)
        .addColumn("revoked_at", int)
        .execute();

      await db.schema
        .createTable("rate_windows")
        .addColumn("bucket", "text", (c) => c.primaryKey())
        .addColumn("ends_at", int, (c) => c.notNull())
        .addColumn("count", int, (c) => c.notNull())
        .modifyEnd(inKeyOrder)
        .execute();

      // At most one row. Inserting it completes setup, so only one process can.
      await db.schema
        .createTable("setup")
        .addColumn("id", int, (c) => c.primaryKey())
        .addColumn("user_id", "text", (c) => c.notNull())
        .addColumn("completed_at", int, (c) => c.notNull())
        .execute();

      await db.schema.alterTable("tasks").addColumn("claimed_by_user_id", "text").execute();
      await sql`create index tasks_by_user on tasks (assigned_to_user_id, status, id)
        where assigned_to_user_id is not null`.execute(db);
      await db.schema
        .createTable("task_candidates")
        .addColumn("person", "text", (c) => c.notNull())
        .addColumn("is_open", int, (c) => c.notNull())
        .addColumn("task_id", "text", (c) => c.notNull())
        .addPrimaryKeyConstraint("task_candidates_pkey", ["person", "is_open", "task_id"])
        .modifyEnd(inKeyOrder)
        .execute();
      await db.schema.createIndex("task_candidates_by_task").on("task_candidates").column("task_id").execute();
    },
  };
}
