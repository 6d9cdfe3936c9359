/** Databases for tests on a cluster of Citus, whose tables of tasks are spread over its nodes. */
import { Kysely } from "kysely";
import { Client, Pool } from "pg";
import { createMigrationDialect, migrate } from "../../src/db/migrate.ts";
import type { Schema } from "../../src/db/schema.ts";
import { spreadStatements } from "../../src/db/spread.ts";

/** Names the address of a coordinator. The tests that need PostgreSQL then get their databases on its cluster. */
export const CITUS = "CITUS_URL";

/** Returns the folder with the `bin/` of a PostgreSQL with Citus, if the environment names one. */
export function installedCitus(): string | undefined {
  return process.env["CITUS_INSTALLED"];
}

/** Few, because making a shard takes time. */
const SHARDS = 4;
/** Databases of tests are called so, followed by the id of their process and a number. */
const PREFIX = "service_test_";
/** Other processes that remove left databases wait for this lock. */
const REMOVAL_KEY = 7_204_118;

/** A database that tests use one after the other. */
interface Database {
  url: string;
  /** The columns of its tables, as one text. */
  shape: string;
  /** Brings every table back to the rows that migrations insert. */
  empty(): Promise<void>;
}

/**
 * Returns a function that gives empty databases on the cluster. Making one takes seconds, so a database that is given back
 * is emptied and used again. All of them are removed when this process ends by itself, or else by the next process.
 */
export function databasesOn(coordinator: string): () => Promise<{ url: string; drop(): Promise<void> }> {
  const unused: Database[] = [];
  const names: string[] = [];
  let last = 0;
  let removed: Promise<void> | undefined;
  process.on("beforeExit", () => void dropDatabases(coordinator, names.splice(0)));

  async function make(): Promise<Database> {
    const name = `${PREFIX}${process.pid}_${++last}`;
    names.push(name);
    const url = await createSpreadDatabase(coordinator, name, SHARDS);
    return { url, shape: await shapeOf(url), empty: await rememberRows(url) };
  }

  async function giveBack(database: Database): Promise<void> {
    await ask(database.url, END_SESSIONS);
    // Some tests change the tables. Their database is not used again.
    if ((await shapeOf(database.url)) === database.shape) unused.push(database);
  }

  return async () => {
    await (removed ??= removeLeft(coordinator));
    const used = unused.pop();
    await used?.empty();
    const database = used ?? (await make());
    return { url: database.url, drop: async () => giveBack(database) };
  };
}

/** Creates an empty database on the coordinator alone. Returns its address. */
export async function createPlainDatabase(coordinator: string, name: string): Promise<string> {
  await ask(addressOf(coordinator, "postgres"), `create database ${name} template template0`);
  return addressOf(coordinator, name);
}

/** Creates a database with all tables on every node of the cluster. Returns its address at the coordinator. */
export async function createSpreadDatabase(coordinator: string, name: string, shards: number): Promise<string> {
  const nodes = await nodesOf(coordinator);
  await Promise.all(
    nodes.map(async (node) => {
      await ask(addressOf(node.url, "postgres"), `create database ${name} template template0`);
      await ask(addressOf(node.url, name), "create extension citus");
    }),
  );
  const url = addressOf(coordinator, name);
  for (const { isCoordinator, host, port } of nodes)
    await ask(url, `select ${isCoordinator ? "citus_set_coordinator_host" : "citus_add_node"}('${host}', ${port})`);
  const db = new Kysely<Schema>({ dialect: createMigrationDialect(new Pool({ connectionString: url, max: 1 })) });
  await migrate(db, "postgres");
  await db.transaction().execute(async (tx) => {
    for (const statement of spreadStatements(shards)) await statement.execute(tx);
  });
  await db.destroy();
  return url;
}

interface Node {
  isCoordinator: boolean;
  host: string;
  port: number;
  url: string;
}

/** Returns the nodes of the cluster, the coordinator first. */
async function nodesOf(coordinator: string): Promise<Node[]> {
  const rows = await ask<Omit<Node, "url">>(
    coordinator,
    "select groupid = 0 as \"isCoordinator\", nodename as host, nodeport as port from pg_dist_node where noderole = 'primary' order by groupid",
  );
  return rows.map((node) => {
    const url = new URL(coordinator);
    url.hostname = node.host;
    url.port = String(node.port);
    return { ...node, url: url.href };
  });
}

/** Remembers the rows that migrations inserted. Returns a function that brings the tables back to them. */
async function rememberRows(url: string): Promise<() => Promise<void>> {
  const tables = await ask<{ name: string }>(
    url,
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const kept = new Map<string, string>();
  for (const { name } of tables) {
    const [found] = await ask<{ rows: string | null }>(url, `select json_agg(t)::text as rows from ${name} t`);
    if (found?.rows != null) kept.set(name, found.rows);
  }
  return async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      // A process that was killed may have left a transaction that holds locks.
      await client.query("select recover_prepared_transactions()");
      await client.query("begin");
      for (const { name } of tables) await client.query(`delete from ${name}`);
      for (const [name, rows] of kept)
        await client.query(`insert into ${name} select * from json_populate_recordset(null::${name}, $1)`, [rows]);
      await client.query("commit");
    } finally {
      await client.end();
    }
  };
}

async function shapeOf(url: string): Promise<string> {
  const columns = await ask(
    url,
    "select table_name, column_name from information_schema.columns where table_schema = 'public' order by 1, 2",
  );
  return JSON.stringify(columns);
}

const END_SESSIONS = `select pg_terminate_backend(pid, 10000) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;

/** Removes the databases of processes that have ended. */
async function removeLeft(coordinator: string): Promise<void> {
  const client = new Client({ connectionString: coordinator });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [REMOVAL_KEY]);
    const { rows } = await client.query<{ name: string }>(
      "select datname as name from pg_database where starts_with(datname, $1)",
      [PREFIX],
    );
    const left = rows
      .map(({ name }) => name)
      .filter((name) => !isRunning(Number(name.slice(PREFIX.length).split("_")[0])));
    await dropDatabases(coordinator, left);
  } finally {
    await client.end();
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Drops databases on every node of the cluster. */
export async function dropDatabases(coordinator: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  for (const { url } of await nodesOf(coordinator))
    for (const name of names) await ask(addressOf(url, "postgres"), `drop database if exists ${name} with (force)`);
}

function addressOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

async function ask<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
