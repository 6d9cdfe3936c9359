import { join } from "node:path";
import type { Kysely } from "kysely";
import type { Config } from "../../config.ts";
import { findDatabase, tryWriting, type FoundDatabase } from "../../db/find.ts";
import { compareMigrations } from "../../db/migrate.ts";
import { TRIGRAMS } from "../../db/texts.ts";
import { durabilityWarnings } from "../../db/postgres-durability.ts";
import type { Schema } from "../../db/schema.ts";
import { SERVICE_COMMAND } from "../../lib/command.ts";
import { reasonOf } from "../../lib/reason.ts";
import { ok, problem, warning, type Finding } from "../../lib/findings.ts";
import { hasWords } from "../../tasks/search-index.ts";
import { checkCitus } from "./citus.ts";

const MIB = 2 ** 20;
/** Free space below which an operator should know, and below which writes are about to fail. */
const FREE_FEW = 1024 * MIB;
const FREE_NONE = 64 * MIB;
const POSTGRES_OLDEST = 15;
const WITHOUT_LISTEN =
  "LISTEN does not work on this connection, for example because of a pooler in transaction mode. Polls that another process answers are up to two seconds late. Set SERVICE_DATABASE_URL to the database itself, or use the session mode of the pooler (pool_mode = session).";

const WITHOUT_WORDS = `Searches read every task, because the extension pg_trgm could not be added. With many tasks that is slow. Let a user who may add it run: create extension pg_trgm; create index ${TRIGRAMS} on task_texts using gin (text gin_trgm_ops) with (fastupdate = off). Then restart the service.`;

export interface CheckedDatabase {
  findings: Finding[];
  /** Open connection, or null if there is no database. */
  found: FoundDatabase | null;
  /** Whether the tables match this release, so that they can be read. */
  isCurrent: boolean;
}

/** Checks the connection, the nodes of Citus, the tables, a write and the free space. */
export async function checkDatabase(config: Config): Promise<CheckedDatabase> {
  const found = await findDatabase(config);
  if (found === null) return { findings: [notMade(config)], found, isCurrent: false };
  const server = await checkServer(found);
  const citus = await checkCitus(found);
  // A worker has none of the other tables.
  if (citus.isWorker) return { findings: [...server, ...citus.findings], found, isCurrent: false };
  const { findings, isCurrent } = await checkSchema(found);
  const used = isCurrent ? [await checkWriting(found.query), ...(await checkSearch(found))] : [];
  return {
    findings: [...server, ...citus.findings, ...findings, ...used, ...checkDisk(config, found)],
    found,
    isCurrent,
  };
}

export function unreachable({ database, dataDir }: Config, reason: string): CheckedDatabase {
  const next =
    database.kind === "sqlite"
      ? `Check ${join(dataDir, "service.db")} and its permissions (SERVICE_DATA_DIR).`
      : "Check SERVICE_DATABASE_URL, whether the server is running, and whether it accepts this machine.";
  return {
    findings: [problem("database", `Cannot open the database: ${reason} ${next}`)],
    found: null,
    isCurrent: false,
  };
}

function notMade({ dataDir }: Config): Finding {
  const path = join(dataDir, "service.db");
  return warning(
    "database",
    `${path} does not exist yet. The first start creates it. If it should exist, check SERVICE_DATA_DIR.`,
  );
}

async function checkServer({ dialect, query, version, hintsArrive }: FoundDatabase): Promise<Finding[]> {
  if (dialect === "sqlite") return [ok("database", `SQLite ${version} works.`)];
  const weak = (await durabilityWarnings({ query, dialect })).map((sentence) => warning("database", sentence));
  if (hintsArrive === false) weak.push(warning("database", WITHOUT_LISTEN));
  if (Number.parseInt(version, 10) < POSTGRES_OLDEST)
    return [problem("database", `PostgreSQL ${version} is too old: ${POSTGRES_OLDEST} or newer is needed.`), ...weak];
  return [ok("database", `PostgreSQL ${version} works.`), ...weak];
}

async function checkSchema({ query, dialect }: FoundDatabase): Promise<{ findings: Finding[]; isCurrent: boolean }> {
  const { known, missing, newer } = await compareMigrations(query, dialect);
  const compare = () => {
    if (newer.length > 0)
      return problem("schema", `A newer release changed the tables (${newer.join(", ")}). Install that release.`);
    if (missing.length === known.length)
      return warning(
        "schema",
        `There are no tables yet. \`${SERVICE_COMMAND} migrate\` or the first start creates them.`,
      );
    if (missing.length > 0)
      return warning(
        "schema",
        `The tables are older than this release (${listed(missing)}). \`${SERVICE_COMMAND} migrate\` or the next start migrates them.`,
      );
    return ok("schema", `Up to date (${known.at(-1)}).`);
  };
  const verdict = compare();
  return { findings: [verdict], isCurrent: verdict.status === "ok" };
}

/** Names that are said of a longer list. */
const NAMED = 6;

function listed(names: readonly string[]): string {
  if (names.length <= NAMED) return names.join(", ");
  return `${names.slice(0, NAMED).join(", ")}, and ${names.length - NAMED} more`;
}

async function checkWriting(query: Kysely<Schema>): Promise<Finding> {
  try {
    await tryWriting(query);
    return ok("writing", "A test row was written and rolled back.");
  } catch (error) {
    return problem(
      "writing",
      `The database rejects writes: ${reasonOf(error)} Check for locks, and the permissions of this user.`,
    );
  }
}

/** Tables that Citus has spread have no such index. */
async function checkSearch({ query, dialect }: FoundDatabase): Promise<Finding[]> {
  if (dialect !== "postgres" || (await hasWords({ query, dialect }))) return [];
  return [warning("search", WITHOUT_WORDS)];
}

function checkDisk({ dataDir }: Config, { disk }: FoundDatabase): Finding[] {
  if (disk === null) return [];
  const room = `${sizeText(disk.free)} are free in ${dataDir}; the database uses ${sizeText(disk.used)}.`;
  if (disk.free >= FREE_FEW) return [ok("disk", room)];
  const tell = disk.free < FREE_NONE ? problem : warning;
  return [tell("disk", `Only ${room} Free some space, or move the data directory (SERVICE_DATA_DIR).`)];
}

function sizeText(bytes: number): string {
  return bytes < 1024 * MIB ? `${Math.ceil(bytes / MIB)} MiB` : `${Math.floor(bytes / MIB / 1024)} GiB`;
}
