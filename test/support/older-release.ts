import { sql, type Kysely } from "kysely";
import type { Tx } from "../../src/db/database.ts";
import { KEY, UNIQUE_KEY } from "../../src/db/migrations/0013-askers.ts";
import { KEYS } from "../../src/db/migrations/0021-homes.ts";
import { rebuildTable, replacing } from "../../src/db/migrations/rebuild-sqlite.ts";

/** A transaction; a benchmark brings its own, without time limits. */
type Tables = Pick<Tx, "dialect" | "query">;
type Undo = readonly string[] | ((tx: Tables) => Promise<void>);

/** What takes each migration back, the oldest first. A new migration adds itself here. */
const UNDO: readonly (readonly [migration: string, undo: Undo])[] = [
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
  ["0013-askers", undoAskers],
  [
    "0014-agents",
    [
      "drop table agents",
      "drop table agent_tokens",
      "drop index tasks_by_agent",
      "drop index tasks_open_by_agent",
      ...["agent_id", "agent_name"].map((column) => `alter table audit_entries drop column ${column}`),
    ],
  ],
  ["0015-oidc", ["drop table oidc_links", "drop table oidc_sign_ins"]],
  [
    "0016-passkeys",
    ["drop table passkeys", "drop table passkey_challenges", "alter table sessions drop column signed_in_with"],
  ],
  ["0017-local-agent", ["drop table local_agent", "alter table agent_tokens drop column derived"]],
  [
    "0018-projects",
    [
      "drop table projects",
      "drop index tasks_by_project",
      "drop table project_members",
      "alter table service_keys drop column agents",
      ...["tasks", "service_keys", "email_identities"].map((table) => `alter table ${table} drop column project`),
    ],
  ],
  ["0019-project-recipients", ["alter table projects drop column recipients"]],
  ["0020-stopped-by", ["alter table agents drop column stopped_by"]],
  ["0021-homes", undoHomes],
  ["0022-actions", ["alter table task_documents drop column action"]],
  ["0023-listed-actions", ["alter table task_documents drop column listed_action"]],
  [
    "0024-approvals",
    [
      "drop table task_approvals",
      "alter table tasks drop column approvals",
      "alter table task_documents drop column approval_policy",
    ],
  ],
  ["0025-calendars", ["drop table calendars"]],
  [
    "0026-absence",
    [
      ...["absent_from", "absent_until", "delegate_user_id"].map((column) => `alter table users drop column ${column}`),
      ...["delegated_from_user_id", "delegated_from_email", "delegated_until"].map(
        (column) => `alter table tasks drop column ${column}`,
      ),
    ],
  ],
  [
    "0027-escalation",
    [
      "drop table escalation_templates",
      "drop index tasks_next_step",
      ...["ladder", "next_step_at", "urgent"].map((column) => `alter table tasks drop column ${column}`),
      ...["escalation", "on_timeout"].map((column) => `alter table task_documents drop column ${column}`),
    ],
  ],
  ["0028-hooks", ["drop table hook_questions", "drop table hook_rules", "drop table hook_calls"]],
  ["0029-host-answers", ["alter table agents drop column host_answers"]],
  ["0030-personal-tokens", ["drop table personal_tokens"]],
  [
    "0031-resume",
    [
      "drop table connections",
      "drop table data_keys",
      "drop table resume_groups",
      "drop table resume_group_tasks",
      "alter table task_documents drop column resume",
      ...["deliveries", "delivery_attempts"].map((table) => `alter table ${table} drop column meaning`),
    ],
  ],
  ["0032-event-subscriptions", ["drop table event_subscriptions"]],
  [
    "0033-conversation",
    [
      "drop table task_comments",
      "alter table tasks drop column waiting_on",
      "alter table task_documents drop column callback_events",
    ],
  ],
  [
    "0034-revisions",
    [
      "drop table task_versions",
      ...["tasks", "task_comments"].map((table) => `alter table ${table} drop column version`),
    ],
  ],
  ["0035-slack-threads", ["drop index delivery_places_by_ts"]],
  ["0036-comment-files", ["alter table task_comments drop column files"]],
  [
    "0037-labels",
    [
      "drop table task_labels",
      ...["priority", "labels", "facts"].map((column) => `alter table tasks drop column ${column}`),
    ],
  ],
  [
    "0038-decisions",
    [
      "drop index tasks_ended_by_user",
      "drop index tasks_ended",
      "create index tasks_ended on tasks (ended_at) where ended_at is not null",
      ...["decision", "decision_tone"].map((column) => `alter table tasks drop column ${column}`),
    ],
  ],
  ["0039-saved-views", ["drop table saved_views"]],
  ["0040-snoozes", ["drop table task_snoozes"]],
  [
    "0041-numbers",
    [
      "drop index audit_entries_by_id",
      ...["question", "edited"].map((column) => `alter table tasks drop column ${column}`),
    ],
  ],
  ["0042-notifications", ["drop table push_subscriptions", "drop table notification_choices"]],
  ["0043-invitations", ["drop table invitations"]],
  ["0044-languages", ["alter table users drop column language", "alter table task_documents drop column locale"]],
  ["0045-search", undoSearch],
];

async function undoAskers(tx: Tables): Promise<void> {
  const query = tx.query as unknown as Kysely<unknown>;
  await sql`drop index tasks_by_key`.execute(query);
  for (const column of [
    "asked_by_kind",
    "asked_by_id",
    "asked_by_name",
    "on_behalf_of",
    "decided_by_kind",
    "decided_by_name",
  ])
    await sql`alter table tasks drop column ${sql.ref(column)}`.execute(query);
  if (tx.dialect === "sqlite") await rebuildTable(query, "tasks", replacing(KEY, UNIQUE_KEY));
  else await sql`alter table tasks add constraint tasks_idempotency_key_key unique (idempotency_key)`.execute(query);
}

async function undoSearch(tx: Tables): Promise<void> {
  const words = tx.dialect === "sqlite" ? ["task_words"] : [];
  for (const table of [...words, "task_texts", "search_position"])
    await sql`drop table ${sql.table(table)}`.execute(tx.query);
}

async function undoHomes(tx: Tables): Promise<void> {
  for (const [table, key] of Object.entries(KEYS)) {
    await sql`alter table ${sql.table(table)} drop column home`.execute(tx.query);
    if (tx.dialect === "postgres")
      await sql`alter table ${sql.table(table)} add constraint ${sql.ref(`${table}_pkey`)}
        primary key (${sql.join(key.map((name) => sql.ref(name)))})`.execute(tx.query);
  }
}

/** Makes the tables what they were in the release before a migration. @param first - its number, such as "0008" */
export async function undoFrom(tx: Tables, first: string): Promise<void> {
  for (const [migration, undo] of UNDO.toReversed()) {
    if (migration < first) continue;
    if (typeof undo === "function") await undo(tx);
    else for (const statement of undo) await sql.raw(statement).execute(tx.query);
  }
  await sql`delete from kysely_migration where name >= ${first}`.execute(tx.query);
}
