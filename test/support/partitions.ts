import { Client } from "pg";
import { TASK_BOUND } from "../../src/db/home.ts";

/** Set to run the tests on tables that PostgreSQL partitions by home. */
export const PARTITIONED = "TEST_PARTITIONED";

const PARTITIONS = 4;

/**
 * Makes the empty tables of tasks partitioned ones. PostgreSQL then enforces part of what databases would enforce that rows
 * are spread over by home: every key contains the home.
 */
export async function partitionByHome(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const table of Object.keys(TASK_BOUND)) await partition(client, table);
  } finally {
    await client.end();
  }
}

async function partition(client: Client, table: string): Promise<void> {
  const { rows: keys } = await client.query<{ name: string; definition: string }>(
    "select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint where conrelid = $1::regclass and contype = 'p'",
    [table],
  );
  const { rows: indexes } = await client.query<{ definition: string }>(
    "select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = $1::regclass and not indisprimary",
    [table],
  );
  await client.query(`alter table ${table} rename to whole`);
  await client.query(`create table ${table} (like whole including defaults) partition by hash (home)`);
  await client.query("drop table whole");
  for (let i = 0; i < PARTITIONS; i++)
    await client.query(
      `create table ${table}_${i} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${i})`,
    );
  for (const { name, definition } of keys)
    await client.query(`alter table ${table} add constraint ${name} ${definition}`);
  for (const { definition } of indexes) await client.query(withHome(definition));
}

/** A unique index of a partitioned table must contain the column that places its rows. */
function withHome(definition: string): string {
  return definition.startsWith("CREATE UNIQUE") ? definition.replace(/\)$/, ", home)") : definition;
}
