import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startSweep } from "./sweep.ts";

const PIECE = 100;

/** A sweep over items that are due at some moments, with a clock and timers that the test moves. */
function sweepOver(t: TestContext, due: number[]) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 0 });
  const done: [due: number, at: number][] = [];
  const faults: ("fails" | "is busy")[] = [];
  const sweep = startSweep(
    {
      db: {
        lookAlone: async (_, look) => (faults[0] === "is busy" && faults.shift() ? null : look()),
        now: () => Date.now(),
      },
      log: { error: () => {} },
    },
    {
      name: "test",
      batch: 10,
      run: async () => {
        const now = due.filter((at) => at <= Date.now());
        if (now.length > 0 && faults.shift() === "fails") throw new Error("no database");
        for (const at of now) done.push([due.splice(due.indexOf(at), 1)[0]!, Date.now()]);
        return now.length;
      },
      next: async () => due.toSorted((a, b) => a - b)[0] ?? null,
      onError: "",
    },
  );
  const until = async (end: number) => {
    while (Date.now() < end) {
      await new Promise(setImmediate);
      t.mock.timers.tick(PIECE);
    }
    await new Promise(setImmediate);
  };
  return { sweep, done, faults, until };
}

void test("what is due is done at its time, also if it came up while the sweep waited for something else", async (t) => {
  const due = [2500, 14_000, 40_000];
  const { sweep, done, until } = sweepOver(t, due);
  await until(20_000);
  due.push(20_300);
  sweep.wake();
  await until(41_000);
  assert.deepEqual(
    done,
    [2500, 14_000, 20_300, 40_000].map((at) => [at, at]),
  );
  await sweep.stop();
});

void test("after a failure, and after another process had its turn, what is due is a second late at most", async (t) => {
  const { sweep, done, faults, until } = sweepOver(t, [5000, 8000]);
  await until(4900);
  faults.push("fails");
  await until(7900);
  faults.push("is busy");
  await until(10_000);
  assert.deepEqual(done, [
    [5000, 6000],
    [8000, 9000],
  ]);
  await sweep.stop();
});
