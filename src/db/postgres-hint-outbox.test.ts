import assert from "node:assert/strict";
import { test } from "node:test";
import { createHintHealth } from "./postgres-hint-health.ts";
import type { HintLine } from "./postgres-hint-line.ts";
import { createHintOutbox } from "./postgres-hint-outbox.ts";

void test("one warning is given until hints arrive again, and those who may have missed some look at everything", () => {
  const said: string[] = [];
  const health = createHintHealth({
    onReset: () => said.push("reset"),
    onWarning: (message) => said.push(message.split(".")[0]!),
    onInfo: (message) => said.push(message),
  });
  health.succeed();
  assert.deepEqual([health.isHealthy(), ...said], [true]);
  health.fail("Lost.");
  health.failTest("Silent.");
  health.failTest("Silent.");
  assert.deepEqual([health.isHealthy(), health.failedTests(), ...said], [false, 2, "Lost"]);
  health.succeed();
  assert.deepEqual(said.splice(0), ["Lost", "Hints from other processes arrive again.", "reset"]);
  health.succeed();
  health.close();
  health.fail("Ended.");
  assert.deepEqual([health.isHealthy(), health.failedTests(), ...said], [false, 0]);
});

/** Returns an outbox whose line can be removed, and its messages. */
function setup() {
  const sent: string[] = [];
  const failed: unknown[] = [];
  let isDown = false;
  let failure: Error | null = null;
  const line = {
    notify: async (messages: readonly string[]) => {
      if (failure !== null) throw failure;
      sent.push(...messages);
    },
  } as HintLine;
  const outbox = createHintOutbox({
    self: "me",
    line: () => (isDown ? null : line),
    onFailure: (_, error) => {
      failed.push(error);
      failure = null;
      outbox.lose();
    },
  });
  return {
    outbox,
    sent,
    failed,
    setDown: (value: boolean) => (isDown = value),
    failOnce: () => (failure = new Error("no")),
  };
}

void test("hints are gathered into one message, in as many as they need", async () => {
  const { outbox, sent } = setup();
  outbox.add(["task:1", "task:2"]);
  outbox.add(["task:2"]);
  await outbox.finish();
  assert.deepEqual(sent.splice(0), ["me|task:1|task:2"]);
  outbox.add(Array.from({ length: 1_000 }, (_, i) => `task:${String(i).padStart(20, "0")}`));
  await outbox.finish();
  assert.equal(sent.length, 4);
  assert.ok(sent.every((message) => message.length <= 8_000));
});

void test("in place of hints that could not be kept or sent, others are told to look at everything", async () => {
  const { outbox, sent, failed, setDown, failOnce } = setup();
  setDown(true);
  outbox.add(["task:1"]);
  setDown(false);
  outbox.sendLost();
  await outbox.finish();
  assert.deepEqual(sent.splice(0), ["me|reset", "me"]);

  failOnce();
  outbox.add(["task:2"]);
  await outbox.finish();
  assert.deepEqual([failed.length, ...sent.splice(0)], [1, "me|reset", "me"]);

  outbox.add(Array.from({ length: 10_001 }, (_, i) => `task:${i}`));
  await outbox.finish();
  assert.deepEqual(sent.splice(0), ["me|reset", "me"]);
  outbox.sendLost();
  await outbox.finish();
  assert.deepEqual(sent, []);
});
