import { sql } from "kysely";
import type { Tx } from "../../src/db/database.ts";

/** What takes each migration back, the oldest first. A new migration adds itself here. */
const UNDO: readonly (readonly [migration: string, statements: readonly string[]])[] = [
  [
    "0008-claims-and-cancellations",
    [
      "drop index tasks_claimed",
      ...["cancelled_by", "cancel_reason", "completed_by_slack_team_id", "completed_by_slack_user_id"].map(
        (column) => `alter table tasks drop column ${column}`,
      ),
    ],
  ],
  ["0009-live-deliveries", ["alter table deliveries drop column is_live"]],
  ["0010-security-events", ["drop table security_events"]],
  [
    "0011-sessions",
    ["address", "user_agent", "confirmed_at"].map((column) => `alter table sessions drop column ${column}`),
  ],
  ["0012-delivery-origins", ["drop table delivery_origins"]],
  ["0015-oidc", ["drop table oidc_links", "drop table oidc_sign_ins"]],
];

/** Makes the tables what they were in the release before a migration. @param first - its number, such as "0008" */
export async function undoFrom(tx: Tx, first: string): Promise<void> {
  for (const [migration, statements] of UNDO.toReversed()) {
    if (migration < first) continue;
    for (const statement of statements) await sql.raw(statement).execute(tx.query);
  }
  await sql`delete from kysely_migration where name >= ${first}`.execute(tx.query);
}
