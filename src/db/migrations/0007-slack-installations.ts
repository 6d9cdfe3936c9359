import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Creates the table of workspaces that the app is installed in. schema.ts describes the columns. */
export function slackInstallations(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("slack_installations")
        .addColumn("team_id", "text", (c) => c.primaryKey())
        .addColumn("team_name", "text", (c) => c.notNull())
        .addColumn("bot_token", "text", (c) => c.notNull())
        .addColumn("bot_user_id", "text", (c) => c.notNull())
        .addColumn("scopes", "text", (c) => c.notNull())
        .addColumn("source", "text", (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .addColumn("updated_at", int, (c) => c.notNull())
        .execute();
      await db.schema
        .createTable("slack_installs_begun")
        .addColumn("state_hash", "text", (c) => c.primaryKey())
        .addColumn("session", "text", (c) => c.notNull())
        .addColumn("created_at", int, (c) => c.notNull())
        .execute();
    },
  };
}
