import assert from "node:assert/strict";
import { test } from "node:test";
import type { Db } from "../../db/database.ts";
import { admitDue, admitParked, createRoom } from "./admit.ts";
import { createLanes } from "./lanes.ts";
import { createQueue, parkReleased } from "./queue.ts";

const QUICK = { duration_ms: 50, isAnswered: true, at: 0 };
const NONE = { fast: 0, slow: 0 };

/** Lanes in which each origin may make two attempts at once. */
function provenLanes(...origins: string[]) {
  const lanes = createLanes();
  for (const origin of origins) lanes.leave(lanes.enter(origin, true)!, QUICK);
  return lanes;
}

function queueWithParked(...ids: string[]) {
  const queue = createQueue();
  queue.released.push(...ids.map((id) => ({ id, home: 1, origin: id[0]! })));
  parkReleased(queue, 0);
  return queue;
}

test("of many parked deliveries of an origin as many begin as it has slots; the rest wait behind the others", () => {
  const lanes = provenLanes("a", "b");
  const queue = queueWithParked("a1", "a2", "a3", "b1", "b2", "b3", "c1");
  assert.deepEqual(
    admitParked({ lanes, queue }, createRoom(3)).map(({ id, slot }) => [id, slot.origin]),
    [
      ["a1", "a"],
      ["a2", "a"],
      ["b1", "b"],
    ],
  );
  assert.deepEqual([...queue.parked.keys()], ["c", "a", "b"]);
  assert.deepEqual(
    admitParked({ lanes, queue }, createRoom(3)).map(({ id }) => id),
    ["c1", "b2"],
  );
  assert.deepEqual([...queue.parked.keys()], ["a", "b"]);
});

test("many unknown origins use a part of the room of a turn, and no proven origin waits behind them", () => {
  const lanes = provenLanes("p");
  const queue = createQueue();
  queue.released.push(...Array.from({ length: 60 }, (_, i) => ({ id: `u${i}`, home: 1, origin: `u${i}` })), {
    id: "p1",
    home: 1,
    origin: "p",
  });
  parkReleased(queue, 0);
  const room = createRoom(100);
  const admitted = admitParked({ lanes, queue }, room);
  assert.deepEqual([admitted.length, admitted.at(-1)?.id, room.isCut], [49, "p1", true]);
  assert.equal(queue.parked.size, 12);
  const rest = createRoom(100);
  assert.equal(admitParked({ lanes, queue }, rest).length, 12);
  assert.equal(rest.isCut, false);
});

test("unknown origins that get no slot in a turn push no proven origin out of the memory", () => {
  const lanes = createLanes({ remembered: 100 });
  lanes.leave(lanes.enter("p", true)!, QUICK);
  const queue = createQueue();
  queue.released.push(...Array.from({ length: 10_000 }, (_, i) => ({ id: `u${i}`, home: 1, origin: `u${i}` })));
  parkReleased(queue, 0);
  assert.equal(admitParked({ lanes, queue }, createRoom(1_000)).length, 48);
  assert.equal(lanes.knows("p"), true);
  assert.equal(lanes.look("p", true), "proven");
});

test("a database that fails leaves every slot free", async () => {
  const lanes = provenLanes("a");
  const queue = createQueue();
  queue.waiting.add("a");
  const db = {
    dialect: "sqlite",
    run: async () => {
      throw new Error("the database is away");
    },
  } as unknown as Db;
  await assert.rejects(admitDue({ db, lanes, queue }, 0, createRoom(10)), /the database is away/);
  assert.deepEqual(lanes.inFlight(), NONE);
});

test("an origin keeps only the slots that its due deliveries fill, and its turn when it fills all", async () => {
  const lanes = provenLanes("a", "b");
  const queue = createQueue();
  for (const origin of ["a", "b", "c"]) queue.waiting.add(origin);
  const due: Record<string, string[]> = { a: ["a1", "a2"], b: ["b1"], c: ["c1"] };
  const db = {
    dialect: "sqlite",
    run: async (_statement: unknown, { origin, count }: { origin: string; count: number }) =>
      due[origin]!.slice(0, count).map((id) => ({ id })),
  } as unknown as Db;
  const admitted = await admitDue({ db, lanes, queue }, 0, createRoom(4));
  assert.deepEqual(
    admitted.map(({ id }) => id),
    ["a1", "a2", "b1"],
  );
  assert.deepEqual(lanes.inFlight(), { fast: 3, slow: 0 });
  assert.deepEqual([...queue.waiting], ["c", "a"]);
});
