import assert from "node:assert/strict";
import { test } from "node:test";
import { inParallel } from "./parallel.ts";

/** Items that end when the test says so. */
function controlled(count: number) {
  const begun: number[] = [];
  const ends = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const handle = async (item: number): Promise<void> => {
    begun.push(item);
    await ends[item]!.promise;
  };
  return { items: ends.map((_, i) => i), begun, ends, handle };
}

/** Lets all that can go on go on. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

void test("no more than the limit are under way, and each end begins the next one", async () => {
  const { items, begun, ends, handle } = controlled(5);
  const all = inParallel(items, 2, handle);
  assert.deepEqual(begun, [0, 1]);
  ends[1]!.resolve();
  await settled();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const end of ends) end.resolve();
  await all;
  assert.deepEqual(begun, items);
});

void test("once it has to stop, nothing further begins, and what is under way ends", async () => {
  const { items, begun, ends, handle } = controlled(4);
  let isStopped = false;
  const all = inParallel(items, 2, handle, () => isStopped);
  isStopped = true;
  for (const end of ends) end.resolve();
  await all;
  assert.deepEqual(begun, [0, 1]);
});

void test("an error begins nothing further, and is thrown", async () => {
  const { items, begun, ends, handle } = controlled(4);
  const all = inParallel(items, 2, handle);
  ends[0]!.reject(new Error("It broke."));
  await assert.rejects(all, /It broke/);
  ends[1]!.resolve();
  await settled();
  assert.deepEqual(begun, [0, 1]);
});
