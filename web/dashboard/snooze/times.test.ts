import assert from "node:assert/strict";
import { test } from "node:test";
import { choicesFor } from "./times.ts";

const FAR = "2026-12-31T00:00:00Z";
const at = (now: string, zone: string, deadline = FAR) =>
  choicesFor(Date.parse(now), deadline, zone).map(({ label, until }) => `${label} ${until.replace(/\.000Z$/, "Z")}`);

void test("the choices are by the clock of the person", () => {
  // A Friday.
  assert.deepEqual(at("2026-11-27T10:20:00Z", "Europe/Berlin"), [
    "Later today 2026-11-27T14:00:00Z",
    "Tomorrow morning 2026-11-28T08:00:00Z",
    "Next week 2026-11-30T08:00:00Z",
  ]);
  // Where it is Saturday already.
  assert.deepEqual(at("2026-11-27T13:30:00Z", "Pacific/Auckland"), [
    "Later today 2026-11-27T17:00:00Z",
    "Tomorrow morning 2026-11-28T20:00:00Z",
    "Next week 2026-11-29T20:00:00Z",
  ]);
  assert.deepEqual(at("2026-11-27T22:30:00Z", "UTC")[0], "Tomorrow morning 2026-11-28T09:00:00Z");
});

void test("next week is never tomorrow", () => {
  assert.equal(at("2026-11-29T10:00:00Z", "UTC").at(-1), "Next week 2026-12-07T09:00:00Z");
  assert.equal(at("2026-11-30T10:00:00Z", "UTC").at(-1), "Next week 2026-12-07T09:00:00Z");
});

void test("what is after the deadline of the task is left out", () => {
  assert.deepEqual(at("2026-11-27T10:20:00Z", "UTC", "2026-11-27T14:00:00Z"), ["Later today 2026-11-27T14:00:00Z"]);
  assert.deepEqual(at("2026-11-27T10:20:00Z", "UTC", "2026-11-27T13:59:59Z"), []);
});
