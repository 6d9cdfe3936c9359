import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import { createAlarm } from "./alarm.ts";
import { runLoop } from "./loop.ts";
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
      state.alarm.ring();
      throw new Error("the database is away");
    },
  };
  const log = { error: () => {} };
  const state = createState({ db, log, kinds: {}, metrics: {} } as unknown as EngineOptions);
  state.look.mustLook = false;
  state.mode = "running";
  const looping = runLoop(state);
  for (let i = 0; i < 20; i++) await nextTurn();
  assert.equal(turns, 1);
  assert.ok(state.look.mustLook);
  state.alarm.ring();
  while (turns < 2) await nextTurn();
  state.mode = "stopping";
  state.alarm.ring();
  await looping;
  assert.equal(turns, 2);
});
