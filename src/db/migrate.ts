import type { Kysely } from "kysely";
import { Migrator, type Migration } from "kysely/migration";
import type { Dialect } from "./database.ts";
import { core } from "./migrations/0001-core.ts";
import { deliveries } from "./migrations/0002-deliveries.ts";
import { cheapReads } from "./migrations/0003-cheap-reads.ts";
import { people } from "./migrations/0004-people.ts";
import { email } from "./migrations/0005-email.ts";
import { slack } from "./migrations/0006-slack.ts";
import { slackInstallations } from "./migrations/0007-slack-installations.ts";
import type { Schema } from "./schema.ts";

/**
 * Brings the tables up to date. Safe when several processes start at once: on PostgreSQL the migrator holds an advisory
 * lock, on SQLite the data directory belongs to one process.
 *
 * @throws Error that names the migration that failed; what it did was taken back
 */
export async function migrate(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const migrations: Record<string, Migration> = {
    "0001-core": core(dialect),
    "0002-deliveries": deliveries(dialect),
    "0003-cheap-reads": cheapReads(dialect),
    "0004-people": people(dialect),
    "0005-email": email(dialect),
    "0006-slack": slack(dialect),
    "0007-slack-installations": slackInstallations(dialect),
  };
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const name = results?.find((result) => result.status === "Error")?.migrationName;
  throw new Error(
    `The database could not be brought up to date${name === undefined ? "" : ` (migration ${name})`}: ${reasonOf(error)}`,
    { cause: error },
  );
}

/** What an error says, as the end of a sentence. Of a host with several addresses, what the first one said. */
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const { message } = (first ?? error) as Error;
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
