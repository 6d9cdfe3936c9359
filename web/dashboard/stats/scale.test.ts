import assert from "node:assert/strict";
import { test } from "node:test";
import { everyNth, partsOf, roomFor, shortened, ticksTo, totalOf } from "./scale.ts";

const SERIES = [
  { name: "done", label: "Done", color: "green" },
  { name: "late", label: "Late", color: "grey" },
  { name: "bad", label: "Bad", color: "red" },
] as const;

void test("an axis has round figures", () => {
  assert.deepEqual(ticksTo(13), [0, 4, 8, 12, 16]);
  assert.deepEqual(ticksTo(46), [0, 15, 30, 45, 60]);
  assert.deepEqual(ticksTo(100), [0, 25, 50, 75, 100]);
  assert.deepEqual(ticksTo(123_456_789), [0, 40_000_000, 80_000_000, 120_000_000, 160_000_000]);
});

void test("an axis of nothing, or of one, still counts whole things", () => {
  assert.deepEqual(ticksTo(0), [0, 1, 2, 3, 4]);
  assert.deepEqual(ticksTo(1), [0, 1, 2, 3, 4]);
});

void test("any axis reaches its largest count in even whole steps, and bars take more than half of it", () => {
  for (let largest = 1; largest < 2 ** 50; largest = Math.ceil(largest * 1.01)) {
    const ticks = ticksTo(largest);
    const [, step = 0] = ticks;
    const top = ticks.at(-1)!;
    assert.deepEqual(
      ticks,
      ticks.map((_, i) => i * step),
    );
    assert.ok(Number.isInteger(step) && top >= largest, `${largest}: ${ticks.join(" ")}`);
    assert.ok(largest < 4 || largest > top / 2, `${largest}: ${ticks.join(" ")}`);
    assert.match(String(step), /^\d5?0*$/);
  }
});

void test("the parts of a bar stand one upon the other, and what is zero is not drawn", () => {
  const row = { name: "Monday", done: 3, late: 0, bad: 2 };
  const parts = partsOf(row, SERIES);
  assert.deepEqual(
    parts.map(({ name, count, from, to }) => ({ name, count, from, to })),
    [
      { name: "done", count: 3, from: 0, to: 3 },
      { name: "bad", count: 2, from: 3, to: 5 },
    ],
  );
  assert.equal(totalOf(row, SERIES), 5);
  assert.deepEqual(partsOf({ name: "Tuesday", done: 0, late: 0, bad: 0 }, SERIES), []);
});

void test("names along an axis leave each other room", () => {
  const days = Array.from({ length: 60 }, (_, i) => `Jan ${(i % 31) + 1}`);
  for (const band of [2, 4.5, 9, 31.5, 500]) {
    const nth = everyNth(days, band);
    assert.ok(nth * band >= roomFor("Jan 31".length), `${nth} at ${band} px`);
    assert.ok(nth === 1 || (nth - 1) * band < roomFor("Jan 31".length), `${nth} at ${band} px`);
  }
});

void test("a long name is cut, and says so", () => {
  assert.equal(shortened("Sixteen letters."), "Sixteen letters.");
  assert.equal(shortened("Seventeen letters"), "Seventeen lette…");
});
