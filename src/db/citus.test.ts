import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Client } from "pg";
import { createCitusStandIn } from "../../test/support/citus-stand-in.ts";
import { onePostgres } from "../../test/support/postgres.ts";
import type { ServiceError } from "../errors.ts";
import type { Db } from "./database.ts";
import { openPostgres } from "./postgres.ts";

const onError = (error: unknown) => assert.fail(String(error));

/** Opens two processes of the service on a stand-in for Citus. */
async function openTwo(t: TestContext): Promise<{ one: Db; other: Db; client: Client }> {
  const { url, client, drop } = await createCitusStandIn();
  const open = () => openPostgres({ url, onError, onWarning: onError });
  const [one, other] = [await open(), await open()];
  t.after(async () => {
    await Promise.all([one.close(), other.close()]);
    await drop();
  });
  return { one, other, client };
}

void test("of two processes one looks at a time, for each purpose (PostgreSQL)", async (t) => {
  const { one, other } = await openTwo(t);
  assert.deepEqual([one.dialect, one.shardOf(6), other.shardOf(7)], ["citus", 102, 103]);
  const looked = async () => ({ found: 3 });
  const during = await one.lookAlone("deadlines", async () => ({
    same: await other.lookAlone("deadlines", async () => assert.fail("both look")),
    another: await other.lookAlone("deliveries", looked),
  }));
  assert.deepEqual(during, { same: null, another: { found: 3 } });
  assert.deepEqual(await other.lookAlone("deadlines", looked), { found: 3 });

  const broken = one.lookAlone("deadlines", async () => Promise.reject(new Error("a node is down")));
  await assert.rejects(broken, /a node is down/);
  assert.deepEqual(await other.lookAlone("deadlines", looked), { found: 3 });
});

/** Makes the commit of a transaction fail that wrote a row here, with the code in this row. */
const FAIL_COMMIT = [
  "create table doubtful (code text, message text)",
  `create function fail_commit() returns trigger language plpgsql as
    'begin raise exception using errcode = new.code, message = new.message; end'`,
  `create constraint trigger at_commit after insert on doubtful deferrable initially deferred
    for each row execute function fail_commit()`,
];

/** @returns how often the transaction was run, and the code of its error */
async function failCommit(db: Db, code: string, message = "no"): Promise<{ runs: number; error: unknown }> {
  let runs = 0;
  const error = await db
    .write(async (tx) => {
      runs++;
      const row = { code, message };
      await tx.query
        .insertInto("doubtful" as "tasks")
        .values(row as never)
        .execute();
    })
    .then(
      () => null,
      (thrown: ServiceError) => thrown.code,
    );
  return { runs, error };
}

void test("every error of a commit leaves unknown whether a node has committed, except one that takes it back (PostgreSQL)", async (t) => {
  const { one, client } = await openTwo(t);
  for (const statement of FAIL_COMMIT) await client.query(statement);
  assert.deepEqual(await failCommit(one, "23514"), { runs: 1, error: "COMMIT_UNKNOWN" });
  const lost = await failCommit(
    one,
    "XX000",
    "could not commit transaction for shard 102009 on at least one active node",
  );
  assert.deepEqual(lost, { runs: 1, error: "COMMIT_UNKNOWN" });
  for (const code of ["40001", "40P01"])
    assert.deepEqual(await failCommit(one, code), { runs: 5, error: "DATABASE_UNAVAILABLE" });
});

void test("without Citus, an error of a commit says that nothing was written, unless the connection is lost (PostgreSQL)", async (t) => {
  const { url, drop } = await (await onePostgres()).createDatabase();
  const db = await openPostgres({ url, onError, onWarning: onError });
  t.after(async () => {
    await db.close();
    await drop();
  });
  await db.write(async (tx) => {
    const { sql } = await import("kysely");
    for (const statement of FAIL_COMMIT) await sql.raw(statement).execute(tx.query);
  });
  assert.deepEqual(await failCommit(db, "23514"), { runs: 1, error: "23514" });
  assert.deepEqual(await failCommit(db, "57P01"), { runs: 1, error: "COMMIT_UNKNOWN" });
});
