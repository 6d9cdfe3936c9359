import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import { createAlarm } from "./alarm.ts";
import { runLoops } from "./loop.ts";
import { createState, type EngineOptions } from "./state.ts";

test("an alarm that rings before the sleep or in it ends it, until it is reset", async () => {
  const alarm = createAlarm();
  alarm.ring();
  await alarm.sleep(60_000);
  alarm.reset();
  const asleep = alarm.sleep(60_000);
  alarm.ring();
  await asleep;
  alarm.reset();
  const startedAt = performance.now();
  await alarm.sleep(30);
  assert.ok(performance.now() - startedAt > 25);
});

test("a turn that fails is followed by a sleep and a look, whatever rings during the turn", async () => {
  let turns = 0;
  const db = {
    now: () => {
      turns++;
      state.alarms.due.ring();
      throw new Error("the database is away");
    },
  };
  const log = { error: () => {} };
  const state = createState({ db, log, kinds: {}, metrics: {} } as unknown as EngineOptions);
  state.look.mustLook = false;
  state.mode = "running";
  const looping = runLoops(state);
  for (let i = 0; i < 20; i++) await nextTurn();
  assert.equal(turns, 1);
  assert.ok(state.look.mustLook);
  state.alarms.due.ring();
  while (turns < 2) await nextTurn();
  state.mode = "stopping";
  for (const alarm of Object.values(state.alarms)) alarm.ring();
  await looping;
  assert.equal(turns, 2);
});

test("a released delivery that cannot begin holds up no other that is released in the same turn", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let asked = 0;
  const db = {
    dialect: "sqlite",
    now: () => 0,
    lookAlone: async () => null,
    run: async (_statement: unknown, params: object) => {
      if (!("origins" in params)) return [];
      if (++asked < 3) state.alarms.released.ring();
      throw new Error("the database is away");
    },
  };
  const log = { error: () => {} };
  const state = createState({ db, log, kinds: {}, metrics: {} } as unknown as EngineOptions);
  state.queue.released.push({ id: "a1", home: 1, origin: "a" });
  state.mode = "running";
  const looping = runLoops(state);
  while (asked < 3) await nextTurn();
  state.mode = "stopping";
  for (const alarm of Object.values(state.alarms)) alarm.ring();
  await looping;
});
