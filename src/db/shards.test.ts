import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { makeRoom } from "../../test/support/room.ts";
import { ServiceError } from "../errors.ts";
import type { Db, Tx } from "./database.ts";
import { toInserted } from "./rows.ts";
import { createShardBatcher, writeByShard } from "./shards.ts";
import { openSqlite } from "./sqlite.ts";

const shardOf = (home: number) => home % 4;

/** Opens one database that is said to be four shards. */
async function openShards(t: TestContext): Promise<Db> {
  const dataDir = makeRoom("service-shards-");
  const db = await openSqlite({ dataDir, onError: (error) => assert.fail(String(error)) });
  t.after(async () => {
    await db.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return Object.assign(Object.create(db) as Db, { shardOf });
}

const put = (tx: Tx, home: number) =>
  tx.query
    .insertInto("task_responses")
    .values(toInserted(tx.dialect, "task_responses", { task_id: String(home), home, response: "{}" }))
    .execute();

/** Writes rows of these homes. Each shard that has an error fails with it, after its rows were written. */
async function write(db: Db, homes: readonly number[], errors: Record<number, Error> = {}): Promise<number[][]> {
  return writeByShard(
    db,
    homes,
    (home) => home,
    async (tx, some) => {
      for (const home of some) await put(tx, home);
      const error = errors[shardOf(some[0]!)];
      if (error !== undefined) throw error;
      return [...some];
    },
  );
}

async function written(db: Db): Promise<number[]> {
  const rows = await db.query.selectFrom("task_responses").select("task_id").execute();
  return rows.map(({ task_id }) => Number(task_id)).toSorted((a, b) => a - b);
}

void test("the rows of each shard are written in a transaction of their own, and one that fails keeps no other from it (SQLite)", async (t) => {
  const db = await openShards(t);
  assert.deepEqual(await write(db, [0, 1, 2, 4, 5]), [[0, 4], [1, 5], [2]]);
  assert.deepEqual(await write(db, []), []);
  const error = new ServiceError("TASK_NOT_FOUND");
  await assert.rejects(write(db, [8, 9, 10, 12], { 0: error }), error);
  assert.deepEqual(await written(db), [0, 1, 2, 4, 5, 9, 10]);
});

void test("where a part was written, a database that is away makes the outcome unknown; where nothing was, the first error says so (SQLite)", async (t) => {
  const db = await openShards(t);
  const [away, other] = [new ServiceError("DATABASE_UNAVAILABLE"), new TypeError("a mistake")];
  await assert.rejects(write(db, [0, 1], { 0: away, 1: other }), away);
  await assert.rejects(write(db, [0, 1], { 0: other, 1: away }), other);
  assert.deepEqual(await written(db), []);
  await assert.rejects(
    write(db, [0, 1, 2], { 0: away, 1: other }),
    (error: unknown) => error instanceof ServiceError && error.code === "COMMIT_UNKNOWN" && error.cause === away,
  );
  assert.deepEqual(await written(db), [2]);
});

void test("a batch has items of one shard, and what it throws is for these alone", async () => {
  const batches: number[][] = [];
  const away = new ServiceError("DATABASE_UNAVAILABLE");
  const batcher = createShardBatcher<number, string>(
    { shardOf },
    (home) => home,
    { items: 2, under_way: 1 },
    async (homes) => {
      batches.push(homes);
      if (homes.includes(1)) throw away;
      return homes.map((home) => `wrote ${home}`);
    },
    () => false,
  );
  const added = await Promise.allSettled([0, 1, 2, 4, 5].map((home) => batcher.add(home)));
  assert.deepEqual(batches, [[0, 4], [1, 5], [2]]);
  assert.deepEqual(
    added.map((one) => (one.status === "fulfilled" ? one.value : one.reason)),
    ["wrote 0", away, "wrote 2", "wrote 4", away],
  );
});
