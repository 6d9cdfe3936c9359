import assert from "node:assert/strict";
import { test } from "node:test";
import { isId, lowestId, newId, timeOfId } from "./ids.ts";

void test("ids increase within a millisecond and while the clock wavers, and say when they were made", () => {
  const now = Date.UTC(2031, 4, 1);
  const ids = [now, now, now + 1, now - 999, now + 1, now + 2].map((time) => newId("tsk", time));
  assert.deepEqual(ids, ids.toSorted());
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => isId("tsk", id)));
  assert.deepEqual(ids.map(timeOfId), [now, now, now + 1, now + 1, now + 1, now + 2]);
});

void test("ids follow a clock that was set back", () => {
  const now = Date.UTC(2031, 4, 2);
  newId("tsk", now);
  assert.equal(timeOfId(newId("tsk", now - 1001)), now - 1001);
});

void test("the lowest id of a moment stands between the ids before it and those from then on", () => {
  const now = Date.UTC(2031, 4, 3);
  const before = newId("tsk", now - 1);
  const then = newId("tsk", now);
  assert.ok(before < lowestId("tsk", now) && lowestId("tsk", now) <= then);
  assert.ok(isId("tsk", lowestId("tsk", now)));
});
