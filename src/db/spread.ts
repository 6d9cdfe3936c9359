/**
 * Spreads the tables of tasks over the nodes of Citus. This is done once, on a database whose tables are up to date, and
 * while no process uses it.
 */
import { Kysely, sql, type PostgresPoolClient, type RawBuilder } from "kysely";
import { Client } from "pg";
import { SERVICE_COMMAND } from "../lib/command.ts";
import { reasonOf } from "../lib/reason.ts";
import { areTasksSpread } from "./citus.ts";
import { AT_WORKER } from "./citus-nodes.ts";
import { HOMES, TASK_BOUND } from "./home.ts";
import { compareMigrations, createMigrationDialect, MIGRATION_LOCK } from "./migrate.ts";
import { TRIGRAMS } from "./texts.ts";
import { withoutPassword } from "./postgres.ts";
import { isConnectionLoss } from "./postgres-errors.ts";
import { APPLICATION_NAME, connectionSettings } from "./postgres-pool.ts";
import type { Schema } from "./schema.ts";

/** How many shards the homes are divided into, unless the operator says otherwise. What looks at all homes asks each shard. */
export const SHARDS = 8;
/** One home cannot be divided. */
export const SHARDS_MAX = HOMES;

const TABLES = Object.keys(TASK_BOUND) as (keyof typeof TASK_BOUND)[];

/**
 * Returns the statements, in their order. All of them belong to one transaction.
 *
 * The keys of tasks from releases without homes do not lead to their home. Their keys stay on the coordinator, in a table
 * that every creation asks while it has rows (src/tasks/older-keys.ts).
 *
 * Citus copies the rows to the nodes and keeps the originals on the coordinator, where no statement sees them any more. They
 * are deleted, because the content of a deleted task would stay there.
 */
export function spreadStatements(shards: number): RawBuilder<unknown>[] {
  const [first, ...others] = TABLES;
  return [
    sql`create table older_keys (
      idempotency_key text not null, asked_by_id text not null, task_id text not null,
      primary key (idempotency_key, asked_by_id))`,
    sql`insert into older_keys (idempotency_key, asked_by_id, task_id)
      select idempotency_key, asked_by_id, id from tasks where home <> ${HOME_OF_KEY}`,
    // Spread tasks are found without it, and the nodes may not know its kind.
    sql`drop index if exists ${sql.ref(TRIGRAMS)}`,
    sql`truncate task_texts`,
    sql`update search_position set entry_id = ''`,
    sql`drop index tasks_by_key`,
    sql`create unique index tasks_by_key on tasks (idempotency_key, asked_by_id, home)`,
    sql`select create_distributed_table(${sql.lit(first)}, 'home', shard_count => ${sql.lit(shards)}, colocate_with => 'none')`,
    ...others.map(
      (table) => sql`select create_distributed_table(${sql.lit(table)}, 'home', colocate_with => ${sql.lit(first)})`,
    ),
    ...TABLES.map((table) => sql`select truncate_local_data_after_distributing_table(${sql.lit(table)})`),
  ];
}

/** `homeOfKey` as an expression on a task. */
const HOME_OF_KEY = (() => {
  const digest = sql`sha256(convert_to(asked_by_id || chr(10) || idempotency_key, 'UTF8'))`;
  return sql`((get_byte(${digest}, 0) << 2) | (get_byte(${digest}, 1) >> 6))`;
})();

/** The first statements of the transaction. */
const PREPARATION = [
  // Copying a large table takes longer than any other statement may.
  sql`set local statement_timeout = 0`,
  sql`set local idle_in_transaction_session_timeout = 0`,
  // Citus writes several notices for each table.
  sql`set local client_min_messages = warning`,
  // A process that starts waits for this lock.
  sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`,
];

/** The shards of the tables, and how many tasks they have. */
export interface Spread {
  shards: number;
  /** Nodes with a shard. */
  nodes: number;
  tasks: number;
}

/** A database whose tables can be spread. */
export interface Spreading {
  /** Returns null if the tables are not spread. */
  find(): Promise<Spread | null>;
  /** Returns what has to be done before the tables can be spread, in sentences for the operator. */
  listObstacles(): Promise<string[]>;
  /** Returns the whole transaction as SQL for psql. */
  script(shards: number): string;
  /** Spreads the tables in one transaction. @throws Error in a sentence for the operator; nothing was changed */
  run(shards: number): Promise<Spread>;
  close(): Promise<void>;
}

/** Opens one connection without time limits for statements. @throws Error in a sentence for the operator */
export async function openSpreading(url: string): Promise<Spreading> {
  const client = new Client({ ...connectionSettings(url, 0), query_timeout: 0 });
  // A statement that is under way fails as well, with the same reason.
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    throw withoutPassword(new Error(`The database cannot be opened: ${reasonOf(error)}`, { cause: error }), url);
  }
  const query = queryOn(client);
  return {
    find: async () => findSpread(client),
    listObstacles: async () => listObstacles(client, query),
    script: (shards) =>
      ["begin", ...[...PREPARATION, ...spreadStatements(shards)].map((one) => one.compile(query).sql), "commit"]
        .map((statement) => `${statement};`)
        .join("\n"),
    run: async (shards) => {
      try {
        await spread(client, query, shards);
      } catch (error) {
        throw withoutPassword(error as Error, url);
      }
      return (await findSpread(client))!;
    },
    close: async () => client.end(),
  };
}

/** Returns a Kysely on this one connection. */
function queryOn(client: Client): Kysely<Schema> {
  const connection = {
    query: async (text: string, values: readonly unknown[]) => client.query(text, [...values]),
    release: () => {},
  };
  return new Kysely({
    dialect: createMigrationDialect({
      options: {},
      // The other form, for cursors, is unused.
      connect: async () => connection as unknown as PostgresPoolClient,
      end: async () => {},
    }),
  });
}

async function spread(client: Client, query: Kysely<Schema>, shards: number): Promise<void> {
  try {
    await client.query("begin");
    for (const statement of PREPARATION) await client.query(statement.compile(query).sql);
    const obstacles = await listObstacles(client, query);
    if (obstacles.length > 0) throw new NotReady(obstacles.join("\n"));
    const before = await countRows(client);
    for (const statement of spreadStatements(shards)) await client.query(statement.compile(query).sql);
    const after = await countRows(client);
    const different = TABLES.filter((table) => before[table] !== after[table]);
    if (different.length > 0) throw new Error(`the copies of these tables have other rows: ${different.join(", ")}.`);
    // A process that had almost started does not know that the tables are spread.
    const late = await countConnections(client);
    if (late > 0) throw new NotReady(stopProcesses(late));
  } catch (error) {
    await client.query("rollback").catch(() => {});
    if (error instanceof NotReady) throw error;
    throw new Error(`The tables were not spread, and nothing was changed: ${reasonOf(error)}`, { cause: error });
  }
  await commit(client);
}

async function commit(client: Client): Promise<void> {
  try {
    await client.query("commit");
  } catch (error) {
    const outcome = isConnectionLoss(error)
      ? `It is not known whether the tables were spread. Run \`${SERVICE_COMMAND} spread\` again: it says so.`
      : "The tables were not spread, and nothing was changed.";
    throw new Error(`${outcome} The commit failed: ${reasonOf(error)}`, { cause: error });
  }
}

/** The database is not ready, and nothing was changed. */
class NotReady extends Error {}

async function listObstacles(client: Client, query: Kysely<Schema>): Promise<string[]> {
  const citus = await readCitus(client);
  // A worker has none of the other tables.
  if (citus?.is_worker === true) return [AT_WORKER];
  const obstacles: string[] = [];
  const { known, missing, newer } = await compareMigrations(query, "postgres");
  if (missing.length > 0) {
    const which = missing.length === known.length ? "There are no tables" : `The tables lack ${missing.join(", ")}`;
    obstacles.push(`${which}. Run \`${SERVICE_COMMAND} migrate\`.`);
  }
  if (newer.length > 0)
    obstacles.push(`A newer release changed the tables (${newer.join(", ")}). Install that release.`);
  if (citus === null)
    obstacles.push(
      `This database does not have the extension citus. Run \`create extension citus\` in it, and in the database of the same name on each worker. Then ${ADD_WORKERS}`,
    );
  else if (citus.workers === 0) obstacles.push(`Citus has no worker that takes shards. To add some, ${ADD_WORKERS}`);
  const connections = await countConnections(client);
  if (connections > 0) obstacles.push(stopProcesses(connections));
  return obstacles;
}

const ADD_WORKERS =
  "run on the coordinator: `select citus_set_coordinator_host('<host>', <port>)` with its own address, and `select citus_add_node('<host>', <port>)` for each worker.";

/** Returns null if the database does not have the extension. */
async function readCitus(client: Client): Promise<{ is_worker: boolean; workers: number } | null> {
  const { rows: extensions } = await client.query("select from pg_extension where extname = 'citus'");
  if (extensions.length === 0) return null;
  const { rows } = await client.query<{ is_worker: boolean; workers: number }>(
    `select (select groupid <> 0 from pg_dist_local_group) as is_worker, count(*) as workers
    from pg_dist_node where groupid <> 0 and isactive and shouldhaveshards and noderole = 'primary'`,
  );
  return rows[0]!;
}

/** Returns how many connections processes of the service have to this database. */
async function countConnections(client: Client): Promise<number> {
  // Within a transaction, the database would repeat what it said first.
  await client.query("select pg_stat_clear_snapshot()");
  const { rows } = await client.query<{ count: number }>(
    "select count(*) from pg_stat_activity where datname = current_database() and starts_with(application_name, $1)",
    [APPLICATION_NAME],
  );
  return rows[0]!.count;
}

function stopProcesses(connections: number): string {
  const have = connections === 1 ? "1 connection" : `${connections} connections`;
  return `Processes of the service have ${have} to this database. Stop all processes.`;
}

async function countRows(client: Client): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const { rows } = await client.query<{ count: number }>(`select count(*) from ${table}`);
    counts[table] = rows[0]!.count;
  }
  return counts;
}

async function findSpread(client: Client): Promise<Spread | null> {
  if (!(await areTasksSpread(client))) return null;
  const { rows } = await client.query<Spread>(
    `select count(distinct shardid) as shards, count(distinct groupid) as nodes, (select count(*) from tasks) as tasks
    from pg_dist_shard join pg_dist_placement using (shardid) where logicalrelid = 'tasks'::regclass`,
  );
  return rows[0]!;
}
