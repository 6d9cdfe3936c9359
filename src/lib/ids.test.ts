import assert from "node:assert/strict";
import { test } from "node:test";
import { isId, lastBitsOf, lowestId, newId, timeOfId } from "./ids.ts";

void test("ids increase within a millisecond and while the clock wavers, and say when they were made", () => {
  const now = Date.UTC(2031, 4, 1);
  const ids = [now, now, now + 1, now - 999, now + 1, now + 2].map((time) => newId("aud", time));
  assert.deepEqual(ids, ids.toSorted());
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => isId("aud", id)));
  assert.deepEqual(ids.map(timeOfId), [now, now, now + 1, now + 1, now + 1, now + 2]);
});

void test("ids follow a clock that was set back", () => {
  const now = Date.UTC(2031, 4, 2);
  newId("aud", now);
  assert.equal(timeOfId(newId("aud", now - 1001)), now - 1001);
});

void test("the lowest id of a moment stands between the ids before it and those from then on", () => {
  const now = Date.UTC(2031, 4, 3);
  const before = newId("aud", now - 1);
  const then = newId("aud", now);
  assert.ok(before < lowestId("aud", now) && lowestId("aud", now) <= then);
  assert.ok(isId("aud", lowestId("aud", now)));
});

void test("ids that end with a home increase all the same, also beside ids without one", () => {
  const now = Date.UTC(2031, 4, 4);
  const homes = [1023, 0, 512, 1, 1023, 31, 32];
  const ids = homes.map((home) => {
    const [task, entry] = [newId("tsk", now, home), newId("aud", now)];
    assert.equal(lastBitsOf(task), home);
    assert.ok(isId("tsk", task));
    return [task.slice(4), entry.slice(4)];
  });
  assert.deepEqual(ids.flat(), ids.flat().toSorted());
  assert.deepEqual(
    ids.map(([task]) => task!.slice(-2)),
    ["zz", "00", "g0", "01", "zz", "0z", "10"],
  );
});

void test("ids increase over thousands in one millisecond", () => {
  const now = Date.UTC(2031, 4, 5);
  const ids = Array.from({ length: 5000 }, (_, i) => newId("dlv", now, i % 1024));
  assert.deepEqual(ids, ids.toSorted());
  assert.equal(new Set(ids).size, ids.length);
});
