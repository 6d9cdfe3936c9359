import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";
import { rebuildTable, replacing } from "./rebuild-sqlite.ts";

/** How the first release declares the key: unique by itself. */
export const UNIQUE_KEY = `"idempotency_key" text not null unique`;
export const KEY = `"idempotency_key" text not null`;

/**
 * Records who asked for a task, and who decided it. An idempotency key is unique among the tasks of one asker. schema.ts
 * describes the columns.
 */
export function askers(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      if (dialect === "sqlite") await rebuildTable(db, "tasks", replacing(UNIQUE_KEY, KEY));
      else await sql`alter table tasks drop constraint tasks_idempotency_key_key`.execute(db);
      // A default that is the same for all rows rewrites none of them.
      for (const column of ["asked_by_kind", "asked_by_id", "asked_by_name"])
        await db.schema
          .alterTable("tasks")
          .addColumn(column, "text", (c) => c.notNull().defaultTo("admin"))
          .execute();
      for (const column of ["on_behalf_of", "decided_by_kind", "decided_by_name"])
        await db.schema.alterTable("tasks").addColumn(column, "text").execute();
      // Until now, only the trail had this. Most tasks are asked with the admin token.
      await sql`update tasks set asked_by_kind = 'user', asked_by_id = asker.id, asked_by_name = asker.name
        from (
          select a.task_id, u.id, coalesce(u.display_name, u.email) as name
          from audit_entries a join users u on u.email_key = lower(a.actor_email)
          where a.seq = 0 and a.action = 'created' and a.actor_type = 'human'
        ) as asker
        where tasks.id = asker.task_id`.execute(db);
      await sql`create unique index tasks_by_key on tasks (idempotency_key, asked_by_id)`.execute(db);
    },
  };
}
