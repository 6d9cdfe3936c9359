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
import { deliveryOrigins } from "./migrations/0015-delivery-origins.ts";
import { sessions } from "./migrations/0011-sessions.ts";
import type { Schema } from "./schema.ts";

/** The key of the migrator's lock; its own, so that releases that leave the locking to it wait for this one. */
const LOCK_KEY = 3_853_314_791_062_309_107n;

/**
 * Brings the tables up to date. Safe when several processes start at once: on PostgreSQL under an advisory lock, on SQLite
 * since the data directory belongs to one process.
 *
 * @param db - on PostgreSQL with the dialect of `createMigrationDialect`
 * @throws Error that names the migration that failed; what it did was taken back
 */
export async function migrate(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  if (dialect === "sqlite") return migrateToLatest(db, dialect);
  try {
    await db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(LOCK_KEY)})`.execute(tx);
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

/** An error in a sentence for the operator. */
export function notBroughtUpToDate(error: unknown, migration?: string): Error {
  const which = migration === undefined ? "" : ` (migration ${migration})`;
  return new NotBroughtUpToDate(`The database could not be brought up to date${which}: ${reasonOf(error)}`, {
    cause: error,
  });
}

/**
 * The migrator's own lock belongs to a connection: behind a pooler in transaction mode it would be taken on one and released
 * on another, and the next start would wait for it. `migrate` takes a lock that ends with its transaction instead.
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

/** Which migrations the tables still lack, and which a newer release has added. Changes nothing. */
export async function compareMigrations(
  db: Kysely<Schema>,
  dialect: Dialect,
): Promise<{ known: string[]; missing: string[]; newer: string[] }> {
  const all = await migratorOf(db, dialect).getMigrations();
  const known = all.map(({ name }) => name);
  const missing = all.flatMap(({ name, executedAt }) => (executedAt === undefined ? [name] : []));
  // Where none was carried out there may be no table that tells of them.
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
    "0015-delivery-origins": deliveryOrigins(dialect),
    "0011-sessions": sessions(dialect),
  };
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}
