import assert from "node:assert/strict";
import { test } from "node:test";
import { createQueue, hasWaiting, originsInTurn, parkReleased, takeLateParked, untilLateParked } from "./queue.ts";

const held = (...ids: string[]) => ids.map((id) => ({ id, home: 1, origin: id[0]! }));
const located = (...ids: string[]) => ids.map((id) => ({ id, home: 1 }));

test("a released delivery is parked by its origin in the next turn", () => {
  const queue = createQueue();
  queue.released.push(...held("a1", "b1", "a2"));
  parkReleased(queue, 5);
  assert.deepEqual(queue.released, []);
  assert.deepEqual(Object.fromEntries(queue.parked), {
    a: [
      { id: "a1", home: 1, since: 5 },
      { id: "a2", home: 1, since: 5 },
    ],
    b: [{ id: "b1", home: 1, since: 5 }],
  });
  assert.equal(hasWaiting(queue), false, "it has no place among the origins with due deliveries");
});

test("parked deliveries stay for a second, then all of their origin become due", () => {
  const queue = createQueue();
  queue.released.push(...held("a1"));
  parkReleased(queue, 0);
  queue.released.push(...held("a2", "b1"));
  parkReleased(queue, 900);
  assert.equal(untilLateParked(queue, 1000), 1);
  assert.deepEqual(takeLateParked(queue, 1000), []);
  assert.deepEqual(takeLateParked(queue, 1001), located("a1", "a2"));
  assert.equal(untilLateParked(queue, 1001), 900);
  assert.deepEqual([...queue.fresh], ["a"]);
  assert.deepEqual([...queue.parked.keys()], ["b"]);
});

test("parked deliveries become due at once where the origin has older ones to send", () => {
  const queue = createQueue();
  queue.waiting.add("a");
  queue.fresh.add("b");
  queue.released.push(...held("a1", "b1", "c1"));
  parkReleased(queue, 0);
  assert.deepEqual(takeLateParked(queue, 0), located("a1", "b1"));
  assert.deepEqual([...queue.parked.keys()], ["c"]);
});

test("fresh origins and waiting ones take turns, each once", () => {
  const queue = createQueue();
  for (const origin of ["a", "b", "c", "d", "e"]) queue.waiting.add(origin);
  for (const origin of ["x", "b", "y"]) queue.fresh.add(origin);
  assert.deepEqual([...originsInTurn(queue)], ["x", "a", "b", "c", "y", "d", "e"]);
  queue.fresh.clear();
  queue.fresh.add("e");
  assert.deepEqual([...originsInTurn(queue)], ["e", "a", "b", "c", "d"]);
});

test("nothing waits in an empty queue", () => {
  assert.equal(hasWaiting(createQueue()), false);
  assert.equal(untilLateParked(createQueue(), 0), Number.POSITIVE_INFINITY);
  assert.deepEqual([...originsInTurn(createQueue())], []);
});
