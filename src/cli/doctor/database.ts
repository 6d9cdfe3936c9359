import { join } from "node:path";
import type { Kysely } from "kysely";
import type { Config } from "../../config.ts";
import { findDatabase, tryWriting, type FoundDatabase } from "../../db/find.ts";
import { compareMigrations } from "../../db/migrate.ts";
import { durabilityWarnings } from "../../db/postgres-durability.ts";
import type { Schema } from "../../db/schema.ts";
import { SERVICE_COMMAND } from "../../lib/command.ts";
import { reasonOf } from "../../lib/reason.ts";
import { ok, problem, warning, type Finding } from "../../lib/findings.ts";

const MIB = 2 ** 20;
/** Free space below which an operator should know, and below which writes are about to fail. */
const FREE_FEW = 1024 * MIB;
const FREE_NONE = 64 * MIB;
const POSTGRES_OLDEST = 15;
const WITHOUT_LISTEN =
  "LISTEN does not work on this connection, as behind a pooler in transaction mode. Waits that another process ends are up to two seconds late. Set SERVICE_DATABASE_URL to the database itself, or use the pooler's session mode (pool_mode = session).";

export interface CheckedDatabase {
  findings: Finding[];
  /** Open; null: there is none to be had. */
  found: FoundDatabase | null;
  /** Whether its tables are those of this release, so that they can be read. */
  isCurrent: boolean;
}

/** Whether it answers, is up to date, takes writes, and has room. */
export async function checkDatabase(config: Config): Promise<CheckedDatabase> {
  const found = await findDatabase(config);
  if (found === null) return { findings: [notMade(config)], found, isCurrent: false };
  const { findings, isCurrent } = await checkSchema(found);
  const written = isCurrent ? [await checkWriting(found.query)] : [];
  return {
    findings: [...(await checkServer(found)), ...findings, ...written, ...checkDisk(config, found)],
    found,
    isCurrent,
  };
}

export function unreachable({ database, dataDir }: Config, reason: string): CheckedDatabase {
  const next =
    database.kind === "sqlite"
      ? `Look at ${join(dataDir, "service.db")} and at who may read it (SERVICE_DATA_DIR).`
      : "Check SERVICE_DATABASE_URL, and that the server runs and lets this machine in.";
  return { findings: [problem("database", `It cannot be opened: ${reason} ${next}`)], found: null, isCurrent: false };
}

function notMade({ dataDir }: Config): Finding {
  const path = join(dataDir, "service.db");
  return warning("database", `There is no ${path} yet; the first start makes it, or check SERVICE_DATA_DIR.`);
}

async function checkServer({ dialect, query, version, hintsArrive }: FoundDatabase): Promise<Finding[]> {
  if (dialect === "sqlite") return [ok("database", `SQLite ${version} opens it.`)];
  const weak = (await durabilityWarnings({ query })).map((sentence) => warning("database", sentence));
  if (hintsArrive === false) weak.push(warning("database", WITHOUT_LISTEN));
  if (Number.parseInt(version, 10) < POSTGRES_OLDEST)
    return [problem("database", `PostgreSQL ${version} is too old: ${POSTGRES_OLDEST} or newer is needed.`), ...weak];
  return [ok("database", `PostgreSQL ${version} answers.`), ...weak];
}

async function checkSchema({ query, dialect }: FoundDatabase): Promise<{ findings: Finding[]; isCurrent: boolean }> {
  const { known, missing, newer } = await compareMigrations(query, dialect);
  const compare = () => {
    if (newer.length > 0)
      return problem("schema", `A newer release has changed the tables (${newer.join(", ")}): install that one here.`);
    if (missing.length === known.length)
      return warning(
        "schema",
        `There are no tables yet; \`${SERVICE_COMMAND} migrate\`, or the first start, makes them.`,
      );
    if (missing.length > 0)
      return warning(
        "schema",
        `The tables are behind this release (${missing.join(", ")}); \`${SERVICE_COMMAND} migrate\`, or the next start, brings them up to date.`,
      );
    return ok("schema", `Up to date (${known.at(-1)}).`);
  };
  const verdict = compare();
  return { findings: [verdict], isCurrent: verdict.status === "ok" };
}

async function checkWriting(query: Kysely<Schema>): Promise<Finding> {
  try {
    await tryWriting(query);
    return ok("writing", "A row was written and taken back.");
  } catch (error) {
    return problem(
      "writing",
      `The database takes no writes: ${reasonOf(error)} Look at who else holds it, and at what this user may do there.`,
    );
  }
}

function checkDisk({ dataDir }: Config, { disk }: FoundDatabase): Finding[] {
  if (disk === null) return [];
  const room = `${sizeText(disk.free)} are free in ${dataDir}, where the database takes ${sizeText(disk.used)}.`;
  if (disk.free >= FREE_FEW) return [ok("disk", room)];
  const tell = disk.free < FREE_NONE ? problem : warning;
  return [tell("disk", `Only ${room} Make room, or move the data directory (SERVICE_DATA_DIR).`)];
}

function sizeText(bytes: number): string {
  return bytes < 1024 * MIB ? `${Math.ceil(bytes / MIB)} MiB` : `${Math.floor(bytes / MIB / 1024)} GiB`;
}
