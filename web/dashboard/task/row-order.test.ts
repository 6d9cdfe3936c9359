import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder, orderBy } from "./row-order.ts";

const sorted = (values: readonly unknown[], isDescending = false) => {
  const rows = values.map((value) => ({ value }));
  return orderBy(rows, { key: "value", isDescending }).map((place) => values[place]);
};

void test("rows are in the order of their values, and those without one come last in both directions", () => {
  assert.deepEqual(sorted(["b", null, "a", "", "A10", "a9"]), ["a", "a9", "A10", "b", null, ""]);
  assert.deepEqual(sorted([3, null, 20, 1], true), [20, 3, 1, null]);
  assert.deepEqual(sorted(["10", 9, "100"]), [9, "10", "100"]);
  assert.deepEqual(sorted(["2026-11-20", "2026-02-01"]), ["2026-02-01", "2026-11-20"]);
});

void test("equal rows keep the order in which they were sent", () => {
  const rows = [
    { k: 1, n: "a" },
    { k: 0, n: "b" },
    { k: 1, n: "c" },
    { k: 0, n: "d" },
  ];
  assert.deepEqual(orderBy(rows, { key: "k", isDescending: false }), [1, 3, 0, 2]);
  assert.deepEqual(orderBy(rows, { key: "k", isDescending: true }), [0, 2, 1, 3]);
});

void test("a list gets another order inside a copy, whatever the keys around it are called", () => {
  const payload = JSON.parse('{"__proto__": {"a/b": [[3, 1, 2], "x"]}, "other": 1}') as unknown;
  const copy = inOrder(payload, "/__proto__/a~1b/0", [1, 2, 0]);
  assert.equal(JSON.stringify(copy), '{"__proto__":{"a/b":[[1,2,3],"x"]},"other":1}');
  assert.equal(JSON.stringify(payload), '{"__proto__":{"a/b":[[3,1,2],"x"]},"other":1}');
});
