import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { startHourly } from "./hourly.ts";

void test("work is done every hour, also after it failed once, and a stop waits for its end", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(line) });
  let runs = 0;
  let end = Promise.withResolvers<void>();
  const hourly = startHourly(
    { log },
    {
      run: async () => {
        runs++;
        await end.promise;
      },
      onError: "It failed; trying again in an hour",
    },
  );
  t.mock.timers.tick(3_599_999);
  assert.equal(runs, 0);
  t.mock.timers.tick(1);
  assert.equal(runs, 1);
  end.reject(new Error("the database is away"));
  while (lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.match(lines[0]!, /the database is away.*It failed; trying again in an hour/);

  end = Promise.withResolvers();
  t.mock.timers.tick(3_600_000);
  assert.equal(runs, 2);
  let isStopped = false;
  const stopped = hourly.stop().then(() => (isStopped = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isStopped, false);
  end.resolve();
  await stopped;
  t.mock.timers.tick(3_600_000);
  assert.equal(runs, 2);
});
