import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { onePostgres } from "../../test/support/postgres.ts";
import { openPostgres } from "./postgres.ts";
import { durabilityWarnings } from "./postgres-durability.ts";

void test("an operator is told when PostgreSQL acknowledges what is not on disk (PostgreSQL)", async () => {
  // The server of the tests has such settings.
  const { url, drop } = await (await onePostgres()).createDatabase();
  const warnings = async () => {
    const db = await openPostgres({ url, onError: assert.ifError, onWarning: assert.ifError });
    try {
      return await durabilityWarnings(db);
    } finally {
      await db.close();
    }
  };
  const [first, second, ...rest] = await warnings();
  assert.match(first!, /\(fsync is off\)/);
  assert.match(second!, /\(synchronous_commit is off\)/);
  assert.deepEqual(rest, []);

  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = local`);
  await client.end();
  assert.equal((await warnings()).length, 1);
  await drop();
});
