import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/**
 * Adds projects. Everything that exists moves to the project `default`, and everybody is a member of it. The new columns have
 * constant defaults, so no table is rewritten, and a process of the release before can go on inserting. schema.ts
 * describes the columns.
 */
export function projects(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("projects")
        .addColumn("slug", "text", (c) => c.primaryKey())
        .addColumn("id", "text", (c) => c.notNull().unique())
        .addColumn("name", "text", (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("archived_at", int)
        .execute();
      await sql`insert into projects (slug, id, name, created_at)
        values ('default', ${sql.lit(DEFAULT_ID)}, 'Default', ${sql.lit(Date.now())})`.execute(db);
      await db.schema.alterTable("service_keys").addColumn("agents", "text").execute();
      await db.schema
        .createTable("project_members")
        .addColumn("project", "text", (c) => c.notNull())
        .addColumn("user_id", "text", (c) => c.notNull())
        .addColumn("role", "text", (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .addPrimaryKeyConstraint("project_members_pkey", ["user_id", "project"])
        .execute();
      await db.schema
        .createIndex("project_members_by_project")
        .on("project_members")
        .columns(["project", "role"])
        .execute();
      await sql`create index project_members_left on project_members (user_id, project) where role = 'left'`.execute(
        db,
      );
      await sql`insert into project_members (project, user_id, role, created_at)
        select 'default', id, 'member', created_at from users`.execute(db);
      // Last, because it locks the tables until the end.
      for (const table of ["tasks", "service_keys", "email_identities"])
        await db.schema
          .alterTable(table)
          .addColumn("project", "text", (c) => c.notNull().defaultTo("default"))
          .execute();
      // Tasks of the default project are not in it, so it costs a service with one project nothing.
      await sql`create index tasks_by_project on tasks (project, status, id) where project <> 'default'`.execute(db);
    },
  };
}

/** The same in every service, as the slug is. */
const DEFAULT_ID = "prj_00000000000000000000000000";
