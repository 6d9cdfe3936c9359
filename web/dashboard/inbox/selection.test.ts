import assert from "node:assert/strict";
import { test } from "node:test";
import { BATCH_MAX, extended, NOTHING, replaced, toggled, without } from "./selection.ts";
import type { Selection } from "./selection.ts";

const ROWS = ["a", "b", "c", "d", "e"];
const ids = (selection: Selection) => [...selection.ids].toSorted().join("");

void test("a row is selected, and no longer selected", () => {
  const one = toggled(NOTHING, "b");
  assert.equal(ids(one), "b");
  assert.equal(ids(toggled(one, "b")), "");
});

void test("a range grows and shrinks from where it began, and leaves what was selected before", () => {
  const start = toggled(toggled(NOTHING, "e"), "b");
  const longer = extended(start, ROWS, "b", "d");
  assert.equal(ids(longer), "bcde");
  assert.equal(ids(extended(longer, ROWS, "d", "c")), "bce");
  assert.equal(ids(extended(longer, ROWS, "d", "a")), "abe");
});

void test("a range begins at the row that has the focus where no row was selected, or where it has left the list", () => {
  assert.equal(ids(extended(NOTHING, ROWS, "c", "d")), "cd");
  assert.equal(ids(extended(toggled(NOTHING, "gone"), ROWS, "c", "d")), "cdgone");
  assert.equal(extended(NOTHING, ROWS, "c", "gone"), NOTHING);
});

void test("at most 200 rows are selected, the first ones", () => {
  const many = Array.from({ length: BATCH_MAX + 50 }, (_, i) => `t${i}`);
  const all = replaced(NOTHING, many);
  assert.deepEqual([...all.ids], many.slice(0, BATCH_MAX));
  assert.equal(toggled(all, "one more").ids.size, BATCH_MAX);
  assert.equal(extended(NOTHING, many, "t0", many.at(-1)!).ids.size, BATCH_MAX);
});

void test("rows that were decided are no longer selected, and the others are", () => {
  assert.equal(ids(without(replaced(NOTHING, ROWS), new Set(["a", "c"]))), "bde");
});
