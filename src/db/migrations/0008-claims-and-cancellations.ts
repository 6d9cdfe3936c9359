import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/**
 * Adds who cancelled a task and why, which Slack member answered, and when a claim expires. schema.ts describes the
 * columns.
 */
export function claimsAndCancellations(dialect: Dialect): Migration {
  const reason = dialect === "postgres" ? sql`extra::json ->> 'reason'` : sql`json_extract(extra, '$.reason')`;

  return {
    up: async (db: Kysely<unknown>) => {
      for (const column of [
        "completed_by_slack_team_id",
        "completed_by_slack_user_id",
        "cancelled_by",
        "cancel_reason",
      ])
        await db.schema.alterTable("tasks").addColumn(column, "text").execute();
      // Until now, only the trail had this data.
      await sql`update tasks set
        cancelled_by = (select actor_email from audit_entries a where a.task_id = tasks.id and a.action = 'cancelled'),
        cancel_reason = (select ${reason} from audit_entries a where a.task_id = tasks.id and a.action = 'cancelled')
        where status = 'cancelled'`.execute(db);

      // Closed tasks have no claim. Only running claims are left, which are few at any moment.
      await sql`update tasks set claimed_by_user_id = null, claimed_by_email = null, claim_expires_at = null
        where ended_at is not null and claim_expires_at is not null`.execute(db);
      await sql`create index tasks_claimed on tasks (claim_expires_at) where claim_expires_at is not null`.execute(db);
    },
  };
}
