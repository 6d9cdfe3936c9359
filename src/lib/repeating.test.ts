import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { startRepeating } from "./repeating.ts";

const settled = async () => new Promise((resolve) => setImmediate(resolve));

function begin(run: (isStopped: () => boolean) => Promise<number | null>) {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(line) });
  return { lines, work: startRepeating({ log }, { run, onError: "It failed; trying again", retryMs: 500 }) };
}

void test("work is done at once, and again when it asks for it, also after it failed", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const runs: (number | Error | null)[] = [100, new Error("the database is away"), null];
  let done = 0;
  const { lines, work } = begin(async () => {
    const next = runs[done++]!;
    if (next instanceof Error) throw next;
    return next;
  });
  const after = async (ms: number) => {
    await settled();
    t.mock.timers.tick(ms);
    await settled();
    return done;
  };
  assert.equal(done, 1);
  assert.equal(await after(99), 1);
  assert.equal(await after(1), 2);
  assert.match(lines[0]!, /the database is away.*It failed; trying again/);
  assert.equal(await after(499), 2);
  assert.equal(await after(1), 3);
  assert.equal(await after(1_000_000), 3, "it asked for no other run");
  await work.stop();
});

void test("a stop waits for work that has begun, which can end early, and nothing begins after it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const end = Promise.withResolvers<void>();
  let done = 0;
  let sawStop = false;
  const { work } = begin(async (isStopped) => {
    done++;
    await end.promise;
    sawStop = isStopped();
    return 1;
  });
  let isOver = false;
  const stopped = work.stop().then(() => (isOver = true));
  await settled();
  assert.equal(isOver, false);
  end.resolve();
  await stopped;
  assert.equal(sawStop, true);
  t.mock.timers.tick(1000);
  await settled();
  assert.equal(done, 1);
});

void test("a stop between two runs ends the work", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let done = 0;
  const { work } = begin(async () => {
    done++;
    return 100;
  });
  await settled();
  await work.stop();
  t.mock.timers.tick(1000);
  await settled();
  assert.equal(done, 1);
});
