import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { nextAttemptAt } from "./schedule.ts";

/** Written out once more, in seconds as the specification gives them. */
const WAITS_SECONDS = [0, 30, 60, 120, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 86_400];

const anyEnd = fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
const anyRandom = fc.double({ min: 0, max: 1, noNaN: true });

for (const [attempts, wait] of WAITS_SECONDS.entries()) {
  test(`attempt ${attempts + 1} starts ${wait} s after the end of the one before: never early, late within bounds`, () => {
    fc.assert(
      fc.property(anyEnd, anyRandom, (endedAt, random) => {
        const next = nextAttemptAt(attempts, endedAt, random);
        assert.ok(next);
        const waited = next.getTime() - endedAt.getTime();
        assert.ok(waited >= wait * 1_000, "early");
        assert.ok(waited <= wait * 1_100, "more than a tenth late");
        assert.ok(waited <= wait * 1_000 + 60_000, "more than 60 s late");
      }),
    );
  });

  test(`attempt ${attempts + 1} can be on the dot, and the random value decides`, () => {
    const endedAt = new Date("2026-01-01T00:00:00.000Z");
    const waited = (random: number) => Number(nextAttemptAt(attempts, endedAt, random)) - endedAt.getTime();
    assert.equal(waited(0), wait * 1_000);
    assert.equal(waited(1), wait * 1_000 + Math.min(wait * 100, 60_000));
  });
}

test("after the thirteenth failure there is no next attempt, however long it took to get there", () => {
  fc.assert(
    fc.property(fc.integer({ min: 13, max: 1_000 }), anyEnd, anyRandom, (attempts, endedAt, random) => {
      assert.equal(nextAttemptAt(attempts, endedAt, random), null);
    }),
  );
});

test("the whole schedule spans about 64 hours", () => {
  const hours = WAITS_SECONDS.reduce((sum, wait) => sum + wait, 0) / 3_600;
  assert.ok(hours > 63.5 && hours < 64.5);
});
