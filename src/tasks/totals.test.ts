import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { testOnBoth } from "../../test/support/service.ts";
import { located } from "../db/home.ts";
import { toInserted } from "../db/rows.ts";
import { newId } from "../lib/ids.ts";
import { DAY, HOUR } from "../lib/time.ts";
import { askerOf } from "./asker.ts";
import { EACH_MAX, noneEnded, rankOf, readTotals, sumTotals, type Totals } from "./totals.ts";

/** Totals of one hour in which as many tasks as there are `times` were completed. */
const completedIn = (times: number[]): Totals => ({
  created: times.length,
  ended: { ...noneEnded(), completed: times.length },
  channels: [["slack", times.length]],
  took_sum: times.reduce((sum, time) => sum + time, 0),
  took: { each: times },
});

/** By nearest rank. */
const exactRank = (times: number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.max(Math.ceil(times.length * part), 1) - 1]!;

const parts = [0.01, 0.1, 0.5, 0.9, 0.99, 1];

void test("ranks are exact while there are few completed tasks, however they are spread over hours", () => {
  const times = fc.array(fc.nat(100 * DAY), { maxLength: 40 });
  fc.assert(
    fc.property(fc.array(times, { minLength: 1, maxLength: 20 }), (hours) => {
      const all = hours.flat();
      const whole = sumTotals(hours.map(completedIn));
      for (const part of parts) assert.equal(rankOf(whole, part), all.length === 0 ? null : exactRank(all, part));
    }),
    { numRuns: 50 },
  );
});

void test("ranks of many completed tasks are less than 1 % off, also when sums are added up", () => {
  const time = fc.oneof(
    fc.nat(200),
    fc.nat(10_000),
    fc.nat(100 * DAY),
    fc.integer({ min: 7, max: 36 }).map((power) => 2 ** power - 1),
  );
  const hours = fc.array(fc.array(time, { minLength: 1, maxLength: 30 }), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(hours, (some) => {
      const many = some.map((times) => Array.from({ length: EACH_MAX / 4 }, (_, i) => times[i % times.length]!));
      const all = [...many, ...many, ...many].flat();
      const once = sumTotals([...many, ...many].map(completedIn));
      const whole = sumTotals([once, ...many.map(completedIn)]);
      for (const part of parts) {
        const exact = exactRank(all, part);
        const found = rankOf(whole, part)!;
        assert.ok(Math.abs(found - exact) <= exact * 0.01, `${found} instead of ${exact}`);
        if (exact < 128 && all.length > EACH_MAX) assert.equal(found, exact);
      }
    }),
    { numRuns: 50 },
  );
});

testOnBoth("the database sorts times into the same buckets", async ({ ctx, clock }) => {
  const start = clock.now() - (clock.now() % HOUR);
  const ended = start + 60_000;
  const times = Array.from({ length: EACH_MAX + 200 }, (_, i) => (i < 300 ? i : Math.floor(1.02 ** (i - 200))));
  for (let power = 7; power < 44; power++) times.push(2 ** power - 1, 2 ** power, 2 ** power + 1);
  await ctx.db.write(async (tx) => {
    for (const [i, time] of times.entries())
      await tx.query
        .insertInto("tasks")
        .values(
          toInserted(tx.dialect, "tasks", {
            ...located(newId("tsk", start, 0)),
            project: "default",
            idempotency_key: `bucket-${i}`,
            status: "completed",
            task: "t",
            timeout_seconds: 60,
            timeout_at: ended,
            redact_payload: 0,
            urgent: 0,
            version: 1,
            priority: 1,
            verification_attempt: 0,
            listed_length: 0,
            schemas_length: 0,
            audit_seq: 1,
            created_at: ended - time,
            updated_at: ended,
            ended_at: ended,
            completed_at: ended,
            ...askerOf({ kind: "admin" }),
          }),
        )
        .execute();
  });
  const totals = await readTotals(ctx.db, start, start + HOUR);
  assert.deepEqual([totals.created, totals.ended.completed], [times.length, times.length]);
  const sorted = ({ took }: Totals) => {
    assert.ok("buckets" in took);
    const pairs = Array.from({ length: took.buckets.length / 2 }, (_, i) => took.buckets.slice(i * 2, i * 2 + 2));
    return pairs.toSorted(([a], [b]) => a! - b!);
  };
  assert.deepEqual(sorted(totals), sorted(sumTotals([completedIn(times)])));
});
