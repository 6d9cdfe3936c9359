import assert from "node:assert/strict";
import { test } from "node:test";
import {
  dueAt,
  dueRungs,
  ladderColumns,
  nextRung,
  requireLadder,
  toldOf,
  WITHOUT_CALENDARS,
  type Clockwork,
  type Rung,
  type Step,
} from "./ladder.ts";

const rung = (at: number, done_at: number | null = null): Rung => ({ do: "raise", at, done_at });
const raise = (step: Partial<Step>): Step => ({ do: "raise", after: 60, calendar: null, to: null, ...step });

test("the step that comes next is the earliest that has not happened, and none from the deadline on", () => {
  const ladder = [rung(300), rung(100, 100), rung(200), rung(1000)];
  assert.equal(nextRung(ladder, 1000)!.at, 200);
  assert.equal(nextRung(ladder.slice(3), 1000), null);
  assert.equal(ladderColumns(ladder.slice(3), 1000).next_step_at, null);
});

test("steps are due in the order of their times, and of the list at one time; none from the deadline on is", () => {
  const ladder = [rung(300), rung(100), rung(300), rung(200, 200), rung(400), rung(1000)];
  assert.deepEqual(dueRungs(ladder, { now: 300, timeout_at: 1000 }), [1, 0, 2]);
  assert.deepEqual(dueRungs(ladder, { now: 2000, timeout_at: 1000 }), [1, 0, 2, 4]);
});

test("a step whose calendar has too little open time before the deadline is due at the deadline, so it never happens", () => {
  const closed: Clockwork = { has: () => true, closesAfter: () => null, openBetween: () => 0 };
  const span = { created_at: 0, timeout_at: 3_600_000 };
  for (const after of [60, { fraction: 0.5 }])
    assert.equal(dueAt(raise({ after, calendar: "office" }), span, closed), span.timeout_at);
  assert.equal(dueAt(raise({ after: { fraction: 0.5 } }), span, WITHOUT_CALENDARS), 1_800_000);
});

test("seconds must end before the deadline, but not those of a calendar, which it may be closed for", () => {
  assert.throws(() => requireLadder([raise({ after: 3600 })], "/escalation", 3600), { code: "VALIDATION_FAILED" });
  requireLadder([raise({ after: 3600, calendar: "office" })], "/escalation", 3600);
  requireLadder([raise({ after: 3600 })], "/steps", null);
});

test("who a step tells was told when it has happened, each once", () => {
  const escalation = JSON.stringify({
    by: "steps",
    template: null,
    steps: [raise({ do: "notify", to: ["email:lee@example.com", "email:dana@example.com"] }), raise({})],
  });
  const notify = JSON.stringify(["email:dana@example.com"]);
  const toldAt = (done_at: number | null) =>
    toldOf({ notify, escalation, ladder: JSON.stringify([{ ...rung(60, done_at), do: "notify" }, rung(90, 90)]) });
  assert.equal(toldAt(null), notify);
  assert.deepEqual(JSON.parse(toldAt(60)!), ["email:dana@example.com", "email:lee@example.com"]);
});
