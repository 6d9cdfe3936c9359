import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Client } from "pg";
import { withoutService } from "../../test/support/doctor.ts";
import { postgres } from "../../test/support/postgres.ts";
import { startTestService } from "../../test/support/service.ts";
import { UsageError } from "./options.ts";
import { spreadTables, type SpreadOptions } from "./spread.ts";

/** Returns what the command printed: what programs read, and what only people read. */
async function run(env: Record<string, string>, given: SpreadOptions): Promise<{ out: string; notes: string }> {
  const said = { out: "", notes: "" };
  await spreadTables(given, env, {
    result: (text) => void (said.out += `${text}\n`),
    note: (text) => void (said.notes += `${text}\n`),
  });
  return said;
}

async function database(t: TestContext): Promise<{ url: string; env: Record<string, string>; client: Client }> {
  const { url, drop } = await (await postgres()).createDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await drop();
  });
  return { url, env: withoutService(t, { SERVICE_DATABASE_URL: url }), client };
}

void test("SQLite cannot be spread", async (t) => {
  for (const given of [{}, { run: true }])
    await assert.rejects(run(withoutService(t), given), /Only tables on PostgreSQL with Citus .* uses SQLite\.$/);
});

void test("a number of shards is a whole number from 1 to 1024", async (t) => {
  const env = withoutService(t);
  for (const shards of ["0", "1025", "-1", "1.5", "eight", "", " 8", "1e2"])
    await assert.rejects(run(env, { shards }), (error: Error) => {
      assert.equal(error.message, "--shards takes a whole number from 1 to 1024.");
      return error instanceof UsageError;
    });
});

void test("a database that cannot be reached is named without its password", async (t) => {
  const env = withoutService(t, { SERVICE_DATABASE_URL: "postgres://dana:opensesame@127.0.0.1:9/tasks" });
  await assert.rejects(
    run(env, { run: true }),
    /^Error: The database cannot be opened: .*ECONNREFUSED 127\.0\.0\.1:9\.$/,
  );
});

void test("without --run, the SQL is printed with the steps, and nothing is changed (PostgreSQL)", async (t) => {
  const { env, client } = await database(t);
  const { out, notes } = await run(env, { shards: "12" });
  assert.match(out, /^begin;\nset local statement_timeout = 0;\n/);
  assert.match(
    out,
    /\nselect create_distributed_table\('tasks', 'home', shard_count => 12, colocate_with => 'none'\);\n/,
  );
  assert.match(out, /\ncommit;\n$/);
  assert.equal(out.match(/create_distributed_table\('\w+', 'home'/g)?.length, 16);
  assert.match(notes, /^Nothing was changed\..*\n1\. Back up.*\n2\. Stop all.*\n3\. Run `.*migrate`\.\n4\..*--run/);
  assert.match(notes, /Not ready yet: This database does not have the extension citus\. Run `create extension citus`/);
  const { rows } = await client.query("select to_regclass('older_keys') as made");
  assert.deepEqual(rows, [{ made: null }]);
});

void test("a database without Citus, or with older or newer tables, is refused (PostgreSQL)", async (t) => {
  const { env, client } = await database(t);
  const refused = (pattern: RegExp) => assert.rejects(run(env, { run: true }), pattern);
  await refused(
    /^Error: This database does not have the extension citus\. .*citus_set_coordinator_host\(.*citus_add_node\(/,
  );
  await client.query("delete from kysely_migration where name >= '0020'");
  await refused(
    /^Error: The tables lack 0020-stopped-by, 0021-homes.*\. Run `npm run service -- migrate`\.\nThis data/,
  );
  await client.query("insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')");
  await refused(/A newer release changed the tables \(9999-later\)\. Install that release\./);
  await client.query("drop schema public cascade; create schema public");
  await refused(/^Error: There are no tables\. Run `npm run service -- migrate`\./);
  const { rows } = await client.query("select from pg_tables where schemaname = 'public'");
  assert.deepEqual(rows, []);
});

void test("a database that a process of the service uses is refused (PostgreSQL)", async (t) => {
  const { url, env, client } = await database(t);
  const { service, stop } = await startTestService("postgres", { env: { SERVICE_DATABASE_URL: url } });
  await service.create();
  const { rows } = await client.query<{ count: string }>(
    "select count(*) from pg_stat_activity where datname = current_database() and application_name like 'human%'",
  );
  const have = new RegExp(`Processes of the service have ${rows[0]!.count} connections to this database\\. Stop all`);
  assert.match((await run(env, {})).notes, have);
  await assert.rejects(run(env, { run: true }), have);
  await stop();
  assert.doesNotMatch((await run(env, {})).notes, /Processes/);
});
