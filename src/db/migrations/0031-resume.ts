import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Adds connections to engines, and what tasks resume at them. schema.ts describes the columns. */
export function resume(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("connections")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("project", "text", (c) => c.notNull())
        .addColumn("name", "text", (c) => c.notNull())
        .addColumn("kind", "text", (c) => c.notNull())
        .addColumn("address", "text", (c) => c.notNull())
        .addColumn("secret", "text")
        .addColumn("allowed_agents", "text")
        .addColumn("asks", "text")
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("updated_at", int, (c) => c.notNull())
        .addColumn("refused_at", int)
        .addColumn("refusal", "text")
        .addUniqueConstraint("connections_by_name", ["project", "name"])
        .execute();
      await db.schema
        .createTable("data_keys")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("sealed", "text", (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .execute();
      await db.schema
        .createTable("resume_groups")
        .addColumn("key", "text", (c) => c.primaryKey())
        .addColumn("delivery_id", "text")
        .execute();
      await db.schema
        .createTable("resume_group_tasks")
        .addColumn("key", "text", (c) => c.notNull())
        .addColumn("task_id", "text", (c) => c.notNull())
        .addColumn("address", "text", (c) => c.notNull())
        .addPrimaryKeyConstraint("resume_group_tasks_pkey", ["key", "task_id"])
        .execute();
      await db.schema.alterTable("task_documents").addColumn("resume", "text").execute();
      for (const table of ["deliveries", "delivery_attempts"])
        await db.schema.alterTable(table).addColumn("meaning", "text").execute();
    },
  };
}
