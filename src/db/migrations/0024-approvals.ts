import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";
import { homeInSqlite } from "./0021-homes.ts";

/** Adds approvals by several people. schema.ts describes the columns. */
export function approvals(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema.alterTable("tasks").addColumn("approvals", "text").execute();
      await db.schema.alterTable("task_documents").addColumn("approval_policy", "text").execute();
      const int = dialect === "postgres" ? "bigint" : "integer";
      const table = db.schema
        .createTable("task_approvals")
        .addColumn("task_id", "text", (c) => c.notNull())
        .addColumn("seq", int, (c) => c.notNull())
        .addColumn("round", int, (c) => c.notNull())
        .addColumn("user_id", "text", (c) => c.notNull())
        .addColumn("email", "text")
        .addColumn("name", "text")
        .addColumn("channel", "text")
        .addColumn("decision", "text", (c) => c.notNull())
        .addColumn("response", "text", (c) => c.notNull())
        .addColumn("groups", "text", (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("withdrawn_at", int);
      if (dialect === "sqlite") {
        // As in the other tables of tasks, the database computes the home.
        await table
          .addColumn("home", "integer", (c) => c.generatedAlwaysAs(homeInSqlite("task_id")))
          .addPrimaryKeyConstraint("task_approvals_pkey", ["task_id", "seq"])
          .execute();
        return;
      }
      await table
        .addColumn("home", "integer", (c) => c.notNull())
        .addPrimaryKeyConstraint("task_approvals_pkey", ["task_id", "seq", "home"])
        .execute();
      await spreadAsTasks(db, "task_approvals");
    },
  };
}

/** On Citus, puts a new table where the rows of the tasks are, if they are spread over nodes. */
export async function spreadAsTasks(db: Kysely<unknown>, table: string): Promise<void> {
  const catalogue = await sql<{
    is_there: boolean;
  }>`select to_regclass('pg_dist_partition') is not null as is_there`.execute(db);
  if (!catalogue.rows[0]!.is_there) return;
  const spread = await sql`select 1 from pg_dist_partition where logicalrelid = 'tasks'::regclass`.execute(db);
  if (spread.rows.length > 0)
    await sql`select create_distributed_table(${sql.lit(table)}, 'home', colocate_with => 'tasks')`.execute(db);
}
