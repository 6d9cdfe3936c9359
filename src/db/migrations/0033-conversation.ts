import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";
import { homeInSqlite } from "./0021-homes.ts";
import { spreadAsTasks } from "./0024-approvals.ts";

/** Adds what people and askers say about tasks. schema.ts describes the columns. */
export function conversation(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema.alterTable("tasks").addColumn("waiting_on", "text").execute();
      await db.schema.alterTable("task_documents").addColumn("callback_events", "text").execute();
      const int = dialect === "postgres" ? "bigint" : "integer";
      const table = db.schema
        .createTable("task_comments")
        .addColumn("task_id", "text", (c) => c.notNull())
        .addColumn("seq", int, (c) => c.notNull())
        .addColumn("id", "text", (c) => c.notNull())
        .addColumn("kind", "text", (c) => c.notNull())
        .addColumn("text", "text", (c) => c.notNull())
        .addColumn("answers_seq", int)
        .addColumn("idempotency_key", "text")
        .addColumn("author_kind", "text", (c) => c.notNull())
        .addColumn("author_user_id", "text")
        .addColumn("author_email", "text")
        .addColumn("author_name", "text")
        .addColumn("author_account", "text")
        .addColumn("channel", "text")
        .addColumn("created_at", int, (c) => c.notNull());
      if (dialect === "sqlite") {
        // As in the other tables of tasks, the database computes the home.
        await table
          .addColumn("home", "integer", (c) => c.generatedAlwaysAs(homeInSqlite("task_id")))
          .addPrimaryKeyConstraint("task_comments_pkey", ["task_id", "seq"])
          .execute();
        return;
      }
      await table
        .addColumn("home", "integer", (c) => c.notNull())
        .addPrimaryKeyConstraint("task_comments_pkey", ["task_id", "seq", "home"])
        .execute();
      await spreadAsTasks(db, "task_comments");
    },
  };
}
