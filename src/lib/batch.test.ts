import assert from "node:assert/strict";
import { test } from "node:test";
import { createBatcher } from "./batch.ts";

const passing = new Error("passing");

function setUp(items: number, run: (items: number[]) => Promise<number[]>) {
  const batches: number[][] = [];
  const batcher = createBatcher<number, number>(
    { items, under_way: 2 },
    (batch) => {
      batches.push(batch);
      return run(batch);
    },
    (error) => error !== passing,
  );
  return { batches, add: (...all: number[]) => Promise.allSettled(all.map((item) => batcher.add(item))) };
}

void test("items of one turn are handed over together, at most so many, and get their own results", async () => {
  const { batches, add } = setUp(3, async (items) => items.map((item) => item * 10));
  const results = await add(1, 2, 3, 4);
  assert.deepEqual(batches, [[1, 2, 3], [4]]);
  assert.deepEqual(
    results.map((result) => result.status === "fulfilled" && result.value),
    [10, 20, 30, 40],
  );
});

void test("when an item spoils its batch, the others succeed alone", async () => {
  const { batches, add } = setUp(3, async (items) => {
    if (items.includes(2)) throw new Error("two");
    return items;
  });
  const results = await add(1, 2, 3);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(batches, [[1, 2, 3], [1], [2], [3]]);
});

void test("what is nobody's fault is told to all at once and not tried again", async () => {
  const { batches, add } = setUp(3, async () => {
    throw passing;
  });
  const results = await add(1, 2, 3);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "rejected", "rejected"],
  );
  assert.equal(batches.length, 1);
});

void test("who comes while as many batches are under way as may be joins the next one", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const ends: (() => void)[] = [];
  const { batches, add } = setUp(10, async (items) => {
    await new Promise<void>((resolve) => ends.push(resolve));
    return items;
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const all: Promise<unknown>[] = [];
  for (const item of [1, 2, 3, 4]) {
    all.push(add(item));
    await turn();
  }
  assert.deepEqual(batches, [[1], [2]]);
  ends[0]!();
  await turn();
  await turn();
  assert.deepEqual(batches, [[1], [2], [3, 4]]);
  for (const end of ends) end();
  await Promise.all(all);
});

void test("batches that never end hold up nobody", async () => {
  const { batches, add } = setUp(10, async (items) => (items[0]! < 3 ? new Promise<number[]>(() => {}) : items));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  for (const item of [1, 2]) {
    void add(item);
    await turn();
  }
  await add(3);
  assert.deepEqual(batches, [[1], [2], [3]]);
});
