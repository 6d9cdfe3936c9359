import assert from "node:assert/strict";
import { test } from "node:test";
import { decisionInAnswer } from "./decision-in-answer.ts";

const decided = (response_schema: object, response: object, form_definition: object | null = null, channel = "email") =>
  decisionInAnswer(
    {
      response_schema: JSON.stringify(response_schema),
      form_definition: form_definition && JSON.stringify(form_definition),
    },
    response as never,
    channel,
  );
const object = (properties: object, required = Object.keys(properties)) => ({ type: "object", properties, required });
const APPROVED = object({ approved: { type: "boolean" } });

void test("a decision is said with the label that was pressed, and in the colour of the form", () => {
  assert.deepEqual(decided(APPROVED, { approved: true }), { label: "Yes", tone: null });
  const named = { ui: { approved: { "ui:enumNames": ["Approve the refund", "Reject it"] } } };
  assert.deepEqual(decided(APPROVED, { approved: true }, named), { label: "Approve the refund", tone: "ok" });
  assert.deepEqual(decided(APPROVED, { approved: false }, named), { label: "Reject it", tone: "bad" });
  const titled = object({
    outcome: {
      oneOf: [
        { const: "ok", title: "Publish" },
        { const: "later", title: "Hold" },
      ],
    },
  });
  assert.deepEqual(decided(titled, { outcome: "later" }), { label: "Hold", tone: null });
  const toned = { ui: { outcome: { "ui:options": { tone: { later: "negative" } } } } };
  assert.deepEqual(decided(titled, { outcome: "later" }, toned), { label: "Hold", tone: "bad" });
  const perChannel = { ...named, channels: { slack: { ui: { approved: { "ui:enumNames": ["OK", "No way"] } } } } };
  assert.equal(decided(APPROVED, { approved: false }, perChannel, "slack")?.label, "No way");
  assert.equal(decided(APPROVED, { approved: false }, perChannel, "dashboard")?.label, "Reject it");
});

void test("a form without a field that decides gives none, and a long label is cut", () => {
  const texts = object({ name: { type: "string" }, reason: { type: "string" } });
  assert.equal(decided(texts, { name: "Mia", reason: "None" }), null);
  assert.equal(decided(APPROVED, {}), null);
  assert.equal(decided(APPROVED, { approved: "maybe" }), null);
  const long = { ui: { approved: { "ui:enumNames": [`Approve ${"x".repeat(200)}`, "\u202E\n"] } } };
  const { label, tone } = decided(APPROVED, { approved: true }, long)!;
  assert.deepEqual([label.length, label.slice(-5), tone], [80, "xx...", "ok"]);
  assert.equal(decided(APPROVED, { approved: false }, long), null, "nothing is left of the label");
});
