import assert from "node:assert/strict";
import { test } from "node:test";
import { standingOf, type Approvals } from "./words.ts";

const me = { user_id: "me" };

function approvals(decided: Record<string, string>, more: Partial<Approvals> = {}): Approvals {
  const decisions = Object.entries(decided).map(([name, decision]) => ({
    by: { user_id: name === "Dana" ? "me" : name, name, email: null },
    decision: decision as "approve",
    at: "2026-11-27T09:00:00.000Z",
    channel: "dashboard",
  }));
  const have = decisions.filter(({ decision }) => ["approve", "edit"].includes(decision)).length;
  return {
    need: 2,
    have,
    round: 1,
    decisions,
    changed_by: null,
    waiting_for: [],
    blind: false,
    veto: "any",
    refusal: null,
    ...more,
  };
}

void test("one sentence says who has approved, and who is missing", () => {
  const finance = { waiting_for: [{ role: "finance" }] };
  for (const [given, sentence] of [
    [approvals({}), "0 of 2: no approvals yet, waiting for 2 people"],
    [approvals({}, { need: 1 }), "0 of 1: no approvals yet, waiting for one person"],
    [approvals({}, finance), "0 of 2: no approvals yet, waiting for finance and one more"],
    [approvals({ Ada: "approve" }), "1 of 2: Ada approved, waiting for one more"],
    [approvals({ Ada: "edit" }, { need: 4 }), "1 of 4: Ada approved, waiting for 3 more"],
    [
      approvals({ Ada: "approve", Ben: "approve" }, { need: 3, ...finance }),
      "2 of 3: Ada and Ben approved, waiting for finance",
    ],
    [approvals({ Ada: "approve", Ben: "approve" }, finance), "2 of 2: Ada and Ben approved, waiting for finance"],
    [
      approvals({ Ada: "approve" }, { need: 3, waiting_for: [{ pool: "desk" }, { emails: ["cy@example.com"] }] }),
      "1 of 3: Ada approved, waiting for desk and cy@example.com",
    ],
    [
      approvals({ Ada: "approve" }, { waiting_for: [{ emails: ["cy@example.com", "di@example.com"] }] }),
      "1 of 2: Ada approved, waiting for one of cy@example.com, di@example.com",
    ],
    [
      approvals({ Ben: "reject", Ada: "approve", Dana: "approve" }, { need: 3, veto: "none" }),
      "2 of 3: Ben rejected, You and Ada approved, waiting for one more",
    ],
    [
      approvals({ A: "approve", B: "approve", C: "approve", D: "edit" }, { need: 5 }),
      "4 of 5: A, B, and 2 others approved, waiting for one more",
    ],
  ] as const)
    assert.equal(standingOf(given, me, true), sentence);
});

void test("an ended task waits for nobody", () => {
  assert.equal(standingOf(approvals({ Ada: "approve", Dana: "edit" }), me, false), "2 of 2: You and Ada approved");
  assert.equal(standingOf(approvals({}), me, false), "0 of 2: no approvals");
});

void test("while others are hidden, only the reader's own decision is said", () => {
  const hidden = { have: null, blind: true, need: 3 };
  const rest = "What others decide is hidden until the end.";
  assert.equal(standingOf(approvals({}, hidden), me, true), `3 people must approve. ${rest}`);
  assert.equal(standingOf(approvals({ Dana: "approve" }, hidden), me, true), `You approved. ${rest}`);
  assert.equal(standingOf(approvals({ Dana: "reject" }, hidden), me, true), `You rejected. ${rest}`);
});
