import { PostgresAdapter, PostgresDialect, sql, type Kysely, type PostgresPool } from "kysely";
import { Migrator, type Migration } from "kysely/migration";
import { reasonOf } from "../lib/reason.ts";
import type { Dialect } from "./database.ts";
import { core } from "./migrations/0001-core.ts";
import { deliveries } from "./migrations/0002-deliveries.ts";
import { cheapReads } from "./migrations/0003-cheap-reads.ts";
import { people } from "./migrations/0004-people.ts";
import { email } from "./migrations/0005-email.ts";
import { slack } from "./migrations/0006-slack.ts";
import { slackInstallations } from "./migrations/0007-slack-installations.ts";
import { claimsAndCancellations } from "./migrations/0008-claims-and-cancellations.ts";
import { liveDeliveries } from "./migrations/0009-live-deliveries.ts";
import { securityEvents } from "./migrations/0010-security-events.ts";
import { sessions } from "./migrations/0011-sessions.ts";
import { deliveryOrigins } from "./migrations/0012-delivery-origins.ts";
import { askers } from "./migrations/0013-askers.ts";
import { agents } from "./migrations/0014-agents.ts";
import { oidc } from "./migrations/0015-oidc.ts";
import { passkeys } from "./migrations/0016-passkeys.ts";
import { localAgent } from "./migrations/0017-local-agent.ts";
import { projects } from "./migrations/0018-projects.ts";
import { projectRecipients } from "./migrations/0019-project-recipients.ts";
import { stoppedBy } from "./migrations/0020-stopped-by.ts";
import { homes } from "./migrations/0021-homes.ts";
import { actions } from "./migrations/0022-actions.ts";
import { listedActions } from "./migrations/0023-listed-actions.ts";
import { approvals } from "./migrations/0024-approvals.ts";
import { calendars } from "./migrations/0025-calendars.ts";
import { absence } from "./migrations/0026-absence.ts";
import { escalation } from "./migrations/0027-escalation.ts";
import { hooks } from "./migrations/0028-hooks.ts";
import { hostAnswers } from "./migrations/0029-host-answers.ts";
import { personalTokens } from "./migrations/0030-personal-tokens.ts";
import { resume } from "./migrations/0031-resume.ts";
import { eventSubscriptions } from "./migrations/0032-event-subscriptions.ts";
import { conversation } from "./migrations/0033-conversation.ts";
import { revisions } from "./migrations/0034-revisions.ts";
import { slackThreads } from "./migrations/0035-slack-threads.ts";
import { commentFiles } from "./migrations/0036-comment-files.ts";
import { labels } from "./migrations/0037-labels.ts";
import { decisions } from "./migrations/0038-decisions.ts";
import { savedViews } from "./migrations/0039-saved-views.ts";
import { snoozes } from "./migrations/0040-snoozes.ts";
import { numbers } from "./migrations/0041-numbers.ts";
import { notifications } from "./migrations/0042-notifications.ts";
import { invitations } from "./migrations/0043-invitations.ts";
import { languages } from "./migrations/0044-languages.ts";
import { search } from "./migrations/0045-search.ts";
import type { Schema } from "./schema.ts";

/** The key of the migrator's own lock, so that older releases, which use the migrator's lock, wait for this one. */
export const MIGRATION_LOCK = 3_853_314_791_062_309_107n;

/**
 * Brings the tables up to date. It is safe if several processes start at once: PostgreSQL has an advisory lock, and on
 * SQLite the data directory belongs to one process.
 *
 * @param db - on PostgreSQL with the dialect of `createMigrationDialect`
 * @throws Error that names the failed migration, which was rolled back
 */
export async function migrate(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  if (dialect === "sqlite") return migrateToLatest(db, dialect);
  try {
    await db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(tx);
      await migrateToLatest(tx, dialect);
    });
  } catch (error) {
    throw error instanceof NotBroughtUpToDate ? error : notBroughtUpToDate(error);
  }
}

async function migrateToLatest(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const { error, results } = await migratorOf(db, dialect).migrateToLatest();
  if (error === undefined) return;
  throw notBroughtUpToDate(error, results?.find((result) => result.status === "Error")?.migrationName);
}

class NotBroughtUpToDate extends Error {}

/** Returns an error with a sentence for the operator. */
export function notBroughtUpToDate(error: unknown, migration?: string): Error {
  const which = migration === undefined ? "" : ` (migration ${migration})`;
  return new NotBroughtUpToDate(`The database could not be brought up to date${which}: ${reasonOf(error)}`, {
    cause: error,
  });
}

/**
 * Creates a dialect without the migrator's own lock, which belongs to a connection. Behind a pooler in transaction
 * mode, the lock would be taken on one connection and released on another, and the next start would wait for it.
 * `migrate` takes a lock that ends with its transaction instead.
 */
export function createMigrationDialect(pool: PostgresPool): PostgresDialect {
  return new MigrationDialect({ pool });
}

class MigrationDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new WithoutLock();
  }
}

class WithoutLock extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** Returns the migrations that the tables lack, and those that a newer release has added. Changes nothing. */
export async function compareMigrations(
  db: Kysely<Schema>,
  dialect: Dialect,
): Promise<{ known: string[]; missing: string[]; newer: string[] }> {
  const all = await migratorOf(db, dialect).getMigrations();
  const known = all.map(({ name }) => name);
  const missing = all.flatMap(({ name, executedAt }) => (executedAt === undefined ? [name] : []));
  // Without any applied migration, the table of migrations may not exist.
  if (missing.length === known.length) return { known, missing, newer: [] };
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return { known, missing, newer: rows.map(({ name }) => name).filter((name) => !known.includes(name)) };
}

function migratorOf(db: Kysely<Schema>, dialect: Dialect): Migrator {
  const migrations: Record<string, Migration> = {
    "0001-core": core(dialect),
    "0002-deliveries": deliveries(dialect),
    "0003-cheap-reads": cheapReads(dialect),
    "0004-people": people(dialect),
    "0005-email": email(dialect),
    "0006-slack": slack(dialect),
    "0007-slack-installations": slackInstallations(dialect),
    "0008-claims-and-cancellations": claimsAndCancellations(dialect),
    "0009-live-deliveries": liveDeliveries(dialect),
    "0010-security-events": securityEvents(dialect),
    "0011-sessions": sessions(dialect),
    "0012-delivery-origins": deliveryOrigins(dialect),
    "0013-askers": askers(dialect),
    "0014-agents": agents(dialect),
    "0015-oidc": oidc(dialect),
    "0016-passkeys": passkeys(dialect),
    "0017-local-agent": localAgent(dialect),
    "0018-projects": projects(dialect),
    "0019-project-recipients": projectRecipients,
    "0020-stopped-by": stoppedBy,
    "0021-homes": homes(dialect),
    "0022-actions": actions,
    "0023-listed-actions": listedActions,
    "0024-approvals": approvals(dialect),
    "0025-calendars": calendars(dialect),
    "0026-absence": absence(dialect),
    "0027-escalation": escalation(dialect),
    "0028-hooks": hooks(dialect),
    "0029-host-answers": hostAnswers(dialect),
    "0030-personal-tokens": personalTokens(dialect),
    "0031-resume": resume(dialect),
    "0032-event-subscriptions": eventSubscriptions(dialect),
    "0033-conversation": conversation(dialect),
    "0034-revisions": revisions(dialect),
    "0035-slack-threads": slackThreads(dialect),
    "0036-comment-files": commentFiles,
    "0037-labels": labels(dialect),
    "0038-decisions": decisions,
    "0039-saved-views": savedViews(dialect),
    "0040-snoozes": snoozes(dialect),
    "0041-numbers": numbers,
    "0042-notifications": notifications(dialect),
    "0043-invitations": invitations(dialect),
    "0044-languages": languages,
    "0045-search": search(dialect),
  };
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}
