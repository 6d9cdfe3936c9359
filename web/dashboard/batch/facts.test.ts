import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf } from "./facts.ts";
import type { BatchTask } from "./tasks.ts";

const HOW = { locale: "en-US", time_zone: "UTC", now: new Date(0) };

function task(id: string, payload: Record<string, unknown>, more: Partial<BatchTask> = {}): BatchTask {
  return {
    id,
    task: id,
    payload,
    payload_schema: {},
    response_schema: {},
    form_definition: null,
    redact_payload: false,
    is_verified: false,
    verification_attempt: 0,
    version: 1,
    action: null,
    actions: null,
    approvals: null,
    ...more,
  };
}

void test("what is the same for all tasks is apart from what differs", () => {
  const { common, differing } = factsOf(
    [
      task("a", { currency: "EUR", amount: 12, shop: "Berlin" }),
      task("b", { currency: "EUR", amount: 15, shop: "Berlin", gift: true }),
    ],
    HOW,
  );
  assert.deepEqual(common, [
    { title: "Currency", text: "EUR" },
    { title: "Shop", text: "Berlin" },
  ]);
  assert.deepEqual(differing.get("a"), [{ title: "Amount", text: "12" }]);
  assert.deepEqual(differing.get("b"), [
    { title: "Amount", text: "15" },
    { title: "Gift", text: "Yes" },
  ]);
});

void test("a single task has nothing in common with others, and a redacted payload says nothing", () => {
  const one = factsOf([task("a", { amount: 12 })], HOW);
  assert.deepEqual([one.common, one.differing.get("a")], [[], [{ title: "Amount", text: "12" }]]);
  const redacted = task("b", { amount: 12 }, { redact_payload: true });
  assert.deepEqual(factsOf([redacted], HOW).differing.get("b"), []);
  assert.deepEqual(factsOf([task("a", { amount: 12 }), redacted], HOW).common, []);
});
