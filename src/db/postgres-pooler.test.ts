import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { sql, type Kysely } from "kysely";
import { Client } from "pg";
import { openPooler } from "../../test/support/pooler.ts";
import { onePostgres } from "../../test/support/postgres.ts";
import { openDatabaseProxy } from "../../test/support/tcp-proxy.ts";
import { readStatement, writeStatement, type Db } from "./database.ts";
import { openPostgres } from "./postgres.ts";
import { openPostgresHints } from "./postgres-hints.ts";
import type { Schema } from "./schema.ts";

const TEST = { timeout: 60_000 };

const putResponse = writeStatement<{ task_id: string }>((query, param) =>
  query.insertInto("task_responses").values({ task_id: param("task_id"), home: 0, response: "{}" }),
);
const selectIds = readStatement<object, { task_id: string }>((query) =>
  query.selectFrom("task_responses").select("task_id").orderBy("task_id"),
);

interface InForce {
  statement: string;
  idle: string;
}

const inForce = async (query: unknown) => {
  const limits = sql<InForce>`select current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle`;
  return (await limits.execute(query as Kysely<Schema>)).rows[0];
};
const LIMITS = { statement: "5s", idle: "10s" };

async function setup(t: TestContext) {
  const { url, drop } = await (await onePostgres()).createDatabase();
  const pooler = await openPooler(url);
  const said: string[] = [];
  const opened: { close(): Promise<void> }[] = [];
  const open = async (at = pooler.url) => {
    const db = await openPostgres({ url: at, onError: assert.ifError, onWarning: (text) => void said.push(text) });
    opened.push(db);
    return db;
  };
  t.after(async () => {
    for (const one of opened) await one.close();
    await pooler.close();
    await drop();
  });
  return { url, pooler, open, said };
}

async function holdsLimits(db: Db): Promise<void> {
  assert.deepEqual(await inForce(db.query), LIMITS, "a statement by itself");
  assert.deepEqual(await inForce(db.heavy.query), LIMITS, "a heavy one");
  assert.deepEqual(await db.write((tx) => inForce(tx.query)), LIMITS, "one of a transaction");
}

void test(
  "behind a pooler in transaction mode the service starts, and its time limits hold (PostgreSQL)",
  TEST,
  async (t) => {
    const { pooler, open } = await setup(t);
    const [db, other] = await Promise.all([open(), open()]);
    await holdsLimits(db);
    await db.writeOne(putResponse, { task_id: "a" });
    await db.write((tx) => tx.run(putResponse, { task_id: "b" }));
    await Promise.all(Array.from({ length: 50 }, (_, i) => other.writeOne(putResponse, { task_id: `c${i + 10}` })));
    assert.equal((await db.run(selectIds, {})).length, 52);
    await assert.rejects(sql`select pg_sleep(8)`.execute(db.query), (error: Error) => {
      assert.equal((error.cause as { code: string }).code, "57014", "the database ended it");
      return true;
    });
    // No setting stays with a server process, which the pooler lends to others next.
    const stranger = new Client({ connectionString: pooler.url });
    await stranger.connect();
    const { rows } = await stranger.query("select setting from pg_settings where name like '%statement_timeout'");
    assert.deepEqual(rows, [{ setting: "0" }]);
    await stranger.end();
  },
);

void test(
  "behind a pooler a statement that fails by itself writes nothing, and the connection goes on (PostgreSQL)",
  TEST,
  async (t) => {
    const { open } = await setup(t);
    const db = await open();
    await db.writeOne(putResponse, { task_id: "a" });
    for (let i = 0; i < 3; i++) await assert.rejects(db.writeOne(putResponse, { task_id: "a" }), { code: "23505" });
    await assert.rejects(
      db.write(async (tx) => {
        await tx.run(putResponse, { task_id: "b" });
        await tx.run(putResponse, { task_id: "a" });
      }),
      { code: "23505" },
    );
    assert.deepEqual(await db.run(selectIds, {}), [{ task_id: "a" }]);
  },
);

void test("a pooler that ignores time limits does not take them away (PostgreSQL)", TEST, async (t) => {
  const { url, open } = await setup(t);
  for (const name of ["statement_timeout", "idle_in_transaction_session_timeout"]) {
    const proxy = await openDatabaseProxy(url);
    // An unknown setting without an effect.
    proxy.replace(`${name}\0`, `x.${name.slice(2)}\0`);
    await holdsLimits(await open(proxy.url));
    await proxy.close();
  }
});

void test("a direct connection has the limits from its start (PostgreSQL)", TEST, async (t) => {
  const { url, open, said } = await setup(t);
  await holdsLimits(await open(url));
  assert.deepEqual(said, []);
});

void test("behind a pooler no lock of a start stays, not even of one that fails (PostgreSQL)", TEST, async (t) => {
  const { url, open } = await setup(t);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("drop schema public cascade; create schema public");
  await client.query("create table tasks (id text)");
  await assert.rejects(open(), /brought up to date \(migration 0001-core\): .*tasks.* already exists/);
  await client.query("drop table tasks");
  await Promise.all([open(), open(), open()]);
  // Concurrent tests have databases in the same cluster.
  const { rows } = await client.query(
    `select pid from pg_locks join pg_database on pg_database.oid = database
      where locktype = 'advisory' and datname = current_database()`,
  );
  await client.end();
  assert.deepEqual(rows, []);
});

void test(
  "a pooler in transaction mode is found out although it is quiet, and told of once (PostgreSQL)",
  TEST,
  async (t) => {
    const { pooler, url, open, said } = await setup(t);
    const db = await open();
    assert.ok(!db.hints.isHealthy());
    assert.equal(said.length, 1);
    assert.match(said[0]!, /^LISTEN does not work through a pooler in transaction mode/);
    // Processes with a direct connection still get hints.
    const direct = await openPostgresHints({ url, onError: assert.ifError, onWarning: assert.fail });
    const hint = new Promise<string>((resolve) => direct.listen(resolve));
    await db.write(async (tx) => tx.hint("task:1"));
    assert.equal(await hint, "task:1");
    await direct.close();
    assert.equal(pooler.dropped(), 0, "no server process is left listening");
  },
);
