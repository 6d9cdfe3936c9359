import { sql, type Kysely } from "kysely";
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
import type { Schema } from "./schema.ts";

/**
 * Brings the tables up to date. Safe when several processes start at once: on PostgreSQL the migrator holds an advisory
 * lock, on SQLite the data directory belongs to one process.
 *
 * @throws Error that names the migration that failed; what it did was taken back
 */
export async function migrate(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const { error, results } = await migratorOf(db, dialect).migrateToLatest();
  if (error === undefined) return;
  const name = results?.find((result) => result.status === "Error")?.migrationName;
  throw new Error(
    `The database could not be brought up to date${name === undefined ? "" : ` (migration ${name})`}: ${reasonOf(error)}`,
    { cause: error },
  );
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
  };
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}
