import assert from "node:assert/strict";
import { test } from "node:test";
import { createLanes, type Lanes, type Slot } from "./lanes.ts";

const QUICK = { duration_ms: 50, isAnswered: true, at: 0 };
const SLOW = { duration_ms: 5_000, isAnswered: true, at: 0 };
const REFUSED = { duration_ms: 3, isAnswered: false, at: 0 };
const TIMEOUT = { duration_ms: 10_000, isAnswered: false, at: 0 };

/** As many slots as there are for an origin. */
function fill(lanes: Lanes, origin: string, isFresh = true): Slot[] {
  const slots: Slot[] = [];
  for (let slot = lanes.enter(origin, isFresh); slot; slot = lanes.enter(origin, isFresh)) slots.push(slot);
  return slots;
}

/** How many attempts an origin may make at once, and in which lane. */
function limitOf(lanes: Lanes, origin: string): [number, string | undefined] {
  const slots = fill(lanes, origin);
  for (const slot of slots) lanes.leave(slot);
  return [slots.length, slots[0]?.lane];
}

function attempt(lanes: Lanes, origin: string, report: typeof QUICK): void {
  lanes.leave(lanes.enter(origin, true)!, report);
}

test("an origin is trusted with one attempt, then with twice as many after each answer, up to eight", () => {
  const lanes = createLanes();
  for (const limit of [1, 2, 4, 8, 8]) {
    assert.deepEqual(limitOf(lanes, "a"), [limit, "fast"]);
    attempt(lanes, "a", QUICK);
  }
});

test("what fails at once holds nobody up: the limit stays as it is", () => {
  const lanes = createLanes();
  attempt(lanes, "new", REFUSED);
  assert.deepEqual(limitOf(lanes, "new"), [1, "fast"]);
  attempt(lanes, "known", QUICK);
  attempt(lanes, "known", REFUSED);
  assert.deepEqual(limitOf(lanes, "known"), [2, "fast"]);
});

test("a timeout leads into the slow lane, two quick answers lead out of it", () => {
  const lanes = createLanes();
  for (let i = 0; i < 5; i++) attempt(lanes, "a", QUICK);
  attempt(lanes, "a", TIMEOUT);
  assert.deepEqual(limitOf(lanes, "a"), [1, "slow"]);
  attempt(lanes, "a", QUICK);
  assert.deepEqual(limitOf(lanes, "a"), [1, "slow"]);
  attempt(lanes, "a", QUICK);
  assert.deepEqual(limitOf(lanes, "a"), [2, "fast"]);
});

test("a slow median leads into the slow lane, one slow answer does not", () => {
  const lanes = createLanes();
  for (let i = 0; i < 7; i++) attempt(lanes, "a", QUICK);
  for (let i = 0; i < 3; i++) {
    attempt(lanes, "a", SLOW);
    assert.deepEqual(limitOf(lanes, "a"), [8, "fast"]);
  }
  attempt(lanes, "a", SLOW);
  assert.deepEqual(limitOf(lanes, "a"), [1, "slow"]);
});

test("in each lane, proven origins and the others have their own slots", () => {
  const lanes = createLanes({ fast: 8, slow: 8, unproven: 8 });
  for (let i = 0; i < 3; i++) attempt(lanes, "good", QUICK);
  const unknown = Array.from({ length: 100 }, (_, i) => lanes.enter(`new-${i}`, true)).filter((slot) => slot !== null);
  assert.equal(unknown.length, 8);
  assert.equal(fill(lanes, "good").length, 8);
  assert.deepEqual(lanes.inFlight(), { fast: 16, slow: 0 });

  for (const slot of unknown) lanes.leave(slot, TIMEOUT);
  const silent = unknown.map(({ origin }) => lanes.enter(origin, true)).filter((slot) => slot !== null);
  assert.equal(silent.length, 4);
  assert.ok(silent.every(({ lane }) => lane === "slow"));
});

test("a backlog of unknown origins leaves room for one that has only just become owed something", () => {
  const lanes = createLanes({ unproven: 8 });
  const old = Array.from({ length: 100 }, (_, i) => lanes.enter(`old-${i}`, false)).filter((slot) => slot !== null);
  assert.equal(old.length, 6);
  assert.ok(lanes.enter("new", true));
});

test("proven origins never take more than the lane has, except one attempt each beside those of unproven origins", () => {
  const lanes = createLanes({ fast: 16, unproven: 2 });
  const origins = ["a", "b", "c", "d", "e"];
  for (const origin of origins) for (let i = 0; i < 4; i++) attempt(lanes, origin, QUICK);
  assert.deepEqual(
    origins.map((origin) => fill(lanes, origin).map(({ pool }) => pool)),
    [Array(8).fill("proven"), Array(8).fill("proven"), ["unproven"], ["unproven"], []],
  );
});

test("a thousand unknown origins that are waited for leave room for one more", () => {
  const lanes = createLanes();
  for (let i = 0; i < 1_000; i++) assert.ok(lanes.enter(`hung-${i}`, false));
  assert.ok(lanes.enter("new", false));
  assert.equal(lanes.enter("new", true), null, "still one attempt at a time");
});

test("large bodies of unproven origins use no more slots than a few, whatever those of proven origins weigh", () => {
  const lanes = createLanes({ unproven: 200, charactersMax: 1_000 });
  attempt(lanes, "good", QUICK);
  lanes.load(lanes.enter("good", true)!, 1_000_000);
  const taken = Array.from({ length: 100 }, (_, i) => lanes.enter(`o-${i}`, true)!);
  for (const slot of taken) lanes.load(slot, 10);
  assert.equal(lanes.enter("more", true), null);
  lanes.leave(taken[0]!);
  assert.ok(lanes.enter("more", true));
});

test("what is stored of an origin changes when it begins to answer, once a day while it does, and when it is silent", () => {
  const lanes = createLanes();
  const found = (report: Omit<typeof QUICK, "at">, at: number) =>
    lanes.leave(lanes.enter("a", true)!, { ...report, at })?.isAnswering;
  const DAY = 86_400_000;
  assert.equal(found(TIMEOUT, 0), undefined, "was not stored");
  assert.equal(found(QUICK, 0), undefined, "slow");
  assert.equal(found(QUICK, 0), true);
  assert.equal(found(QUICK, DAY - 1), undefined);
  assert.equal(found(REFUSED, DAY), undefined);
  assert.equal(found(QUICK, DAY), true);
  assert.equal(found(TIMEOUT, DAY), false);
  assert.equal(found(TIMEOUT, DAY), undefined);
});

test("an origin that is stored as one that answers is proven, until it is silent", () => {
  const lanes = createLanes({ fast: 1, unproven: 0 });
  lanes.introduce("a", 0);
  assert.equal(lanes.knows("a"), true);
  const slot = lanes.enter("a", false);
  assert.equal(slot?.pool, "proven");
  lanes.introduce("a", 0);
  assert.equal(lanes.leave(slot, TIMEOUT)?.isAnswering, false);
  assert.deepEqual(limitOf(lanes, "a"), [1, "slow"]);
});

test("an origin that falls silent in the slow lane has to prove itself again", () => {
  const lanes = createLanes({ slow: 4 });
  for (const origin of ["a", "b", "c"]) {
    attempt(lanes, origin, QUICK);
    attempt(lanes, origin, TIMEOUT);
  }
  assert.equal(lanes.enter("a", true)?.pool, "proven");
  attempt(lanes, "b", TIMEOUT);
  assert.equal(lanes.enter("b", true)?.pool, "unproven");
});

test("an attempt that was not made says nothing of its origin, and its slot is free again", () => {
  const lanes = createLanes();
  lanes.leave(lanes.enter("a", true)!);
  assert.deepEqual(limitOf(lanes, "a"), [1, "fast"]);
  assert.deepEqual(lanes.inFlight(), { fast: 0, slow: 0 });
});

test("only so many origins are remembered, and never one less than are under way", () => {
  const lanes = createLanes({ remembered: 10, fast: 100 });
  attempt(lanes, "first", QUICK);
  const busy = lanes.enter("first", true)!;
  attempt(lanes, "second", QUICK);
  for (let i = 0; i < 50; i++) attempt(lanes, `o-${i}`, QUICK);
  assert.deepEqual(limitOf(lanes, "second"), [1, "fast"], "forgotten");
  lanes.leave(busy, QUICK);
  assert.deepEqual(limitOf(lanes, "first"), [4, "fast"], "remembered");
});
