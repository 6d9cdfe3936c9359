import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  TASK_STATUSES,
  TERMINAL_STATUSES,
  transition,
  type Completer,
  type TaskEvent,
  type TaskState,
} from "./lifecycle.ts";

const by: Completer = {
  kind: "person",
  name: "Dana",
  email: "dana@example.com",
  user_id: "usr_1",
  account: null,
  channel: "dashboard",
  embed_sub: null,
};
const NOW = 1_000_000;
const open = (task: Partial<TaskState> = {}): TaskState => ({
  status: "created",
  verification_attempt: 0,
  timeout_at: NOW + 1,
  version: 1,
  ...task,
});
const guard = { status: "created", verification_attempt: 0, version: 1 } as const;
const accepted: TaskEvent = { type: "accepted", response: { ok: true }, by, assigns: null, verdict: null };
const refused: TaskEvent = {
  type: "refused",
  response: { ok: true },
  by,
  reason: "No receipt.",
  max_attempts: 3,
  guard,
};
const cancelled: TaskEvent = { type: "cancelled", reason: "Not needed.", email: "op@example.com" };
const timedOut: TaskEvent = { type: "timed_out" };
const NO_STEPS = { ladder: null, next_step_at: null };
const extended: TaskEvent = { type: "extended", timeout_seconds: 3600, timeout_at: NOW + 60_000, steps: NO_STEPS };

describe("the life of a task", () => {
  for (const status of ["created", "rejected"] as const) {
    test(`a valid answer completes a ${status} task and says who, when and where`, () => {
      assert.deepEqual(transition(open({ status }), accepted, NOW), {
        status: "completed",
        set: {
          completed_at: NOW,
          completed_by_email: "dana@example.com",
          completed_by_user_id: "usr_1",
          completed_via_channel: "dashboard",
          decided_by_kind: "person",
          decided_by_name: "Dana",
          decision: null,
          decision_tone: null,
          edited: null,
        },
        effects: ["callback"],
        audit: "completed",
      });
    });

    test(`an answer of a candidate to a ${status} task assigns it to them`, () => {
      const assigns = { assigned_to_user_id: "usr_1", assigned_to_email: "dana@example.com" };
      const { set } = transition(open({ status }), { ...accepted, assigns }, NOW);
      assert.deepEqual([set.assigned_to_user_id, set.assigned_to_email], ["usr_1", "dana@example.com"]);
    });

    test(`an answer that the verifier passed completes a ${status} task with its verdict`, () => {
      const change = transition(
        open({ status, verification_attempt: 2 }),
        { ...accepted, verdict: { reason: "Fine.", guard: { status, verification_attempt: 2, version: 1 } } },
        NOW,
      );
      assert.equal(change.status, "completed");
      assert.equal(change.audit, "verified");
      assert.deepEqual(change.set.verifier_result, { passed: true, reason: "Fine.", attempt: 2 });
    });

    test(`a ${status} task can be cancelled`, () => {
      assert.deepEqual(transition(open({ status }), cancelled, NOW), {
        status: "cancelled",
        set: { cancelled_by: "op@example.com", cancel_reason: "Not needed." },
        effects: ["callback"],
        audit: "cancelled",
      });
    });

    test(`a ${status} task times out`, () => {
      assert.deepEqual(transition(open({ status, timeout_at: NOW }), timedOut, NOW), {
        status: "timed_out",
        set: { timed_out_at: NOW },
        effects: ["callback"],
        audit: "timed_out",
      });
    });
  }

  test("a deadline moves without a change of status, in time and not into the past", () => {
    const status = "rejected" as const;
    assert.deepEqual(transition(open({ status }), extended, NOW), {
      status,
      set: { timeout_seconds: 3600, timeout_at: NOW + 60_000, ...NO_STEPS },
      effects: [],
      audit: "extended",
    });
    assert.throws(() => transition(open({ timeout_at: NOW }), extended, NOW), { code: "TASK_ALREADY_TERMINAL" });
    assert.throws(() => transition(open(), { ...extended, timeout_at: NOW }, NOW), { code: "VALIDATION_FAILED" });
  });

  test("a refusal with attempts left sends the task back", () => {
    assert.deepEqual(transition(open(), refused, NOW), {
      status: "rejected",
      set: { verification_attempt: 1, verifier_result: { passed: false, reason: "No receipt.", attempt: 1 } },
      effects: ["sent_back"],
      audit: "rejected",
    });
  });

  test("the last refusal ends the task", () => {
    const last = { ...refused, guard: { status: "rejected", verification_attempt: 2, version: 1 } } as const;
    const change = transition(open({ status: "rejected", verification_attempt: 2 }), last, NOW);
    assert.equal(change.status, "verification_exhausted");
    assert.equal(change.audit, "verification_exhausted");
    assert.equal(change.set.verification_attempt, 3);
    assert.deepEqual(change.effects, ["callback"]);
  });

  test("nothing moves a task that has ended", () => {
    for (const status of TERMINAL_STATUSES) {
      for (const event of [accepted, refused, cancelled, extended, timedOut]) {
        assert.throws(
          () => transition(open({ status, timeout_at: 0 }), event, NOW),
          { code: "TASK_ALREADY_TERMINAL" },
          `${event.type} on ${status}`,
        );
      }
    }
    assert.equal(TASK_STATUSES.length - TERMINAL_STATUSES.length, 2);
  });

  test("an answer counts in the last millisecond, and not at the deadline", () => {
    assert.equal(transition(open({ timeout_at: NOW + 1 }), accepted, NOW).status, "completed");
    for (const event of [accepted, refused])
      assert.throws(() => transition(open({ timeout_at: NOW }), event, NOW), { code: "TASK_ALREADY_TERMINAL" });
  });

  test("a task does not time out before its time", () => {
    assert.throws(() => transition(open({ timeout_at: NOW + 1 }), timedOut, NOW), RangeError);
  });

  test("a verdict that another one overtook consumes nothing", () => {
    const moved = open({ status: "rejected", verification_attempt: 1 });
    assert.throws(() => transition(moved, refused, NOW), { code: "TASK_CHANGED" });
    assert.throws(() => transition(moved, { ...accepted, verdict: { reason: null, guard } }, NOW), {
      code: "TASK_CHANGED",
    });
  });
});
