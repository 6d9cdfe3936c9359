/**
 * Shows one PostgreSQL to the service as a cluster of Citus. What only a cluster runs can then be tested without one, except
 * what its nodes do.
 */
import { Client } from "pg";
import { onePostgres } from "./postgres.ts";

/** The tables as `service spread` leaves them, and the part of the catalog of Citus that a process reads at its start. */
const STATEMENTS = [
  `create table older_keys (
    idempotency_key text not null, asked_by_id text not null, task_id text not null,
    primary key (idempotency_key, asked_by_id))`,
  "drop index tasks_by_key",
  "create unique index tasks_by_key on tasks (idempotency_key, asked_by_id, home)",
  "set allow_system_table_mods = on",
  "create table pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod text)",
  "insert into pg_dist_partition values ('tasks', 'h')",
  `create function get_shard_id_for_distribution_column(regclass, integer) returns integer
    language sql as 'select 100 + $2 % 4'`,
];

/** Creates an empty database, and a client that is connected to it. */
export async function createCitusStandIn(): Promise<{ url: string; client: Client; drop(): Promise<void> }> {
  const { url, drop } = await (await onePostgres()).createDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of STATEMENTS) await client.query(statement);
  return {
    url,
    client,
    drop: async () => {
      await client.end();
      await drop();
    },
  };
}
