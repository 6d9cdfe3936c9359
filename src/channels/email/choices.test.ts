import assert from "node:assert/strict";
import { test } from "node:test";
import { FORM_FIXTURES } from "../../../form/fixtures/forms.ts";
import { nodesOf } from "../../../form/plan/nodes.ts";
import { planForm } from "../../../form/plan/plan.ts";
import { objectOf } from "../../../form/fixtures/try-form.ts";
import { choicesOf, formForMail } from "./choices.ts";

const NOW = new Date("2026-11-22T12:00:00Z");
const formOf = (response_schema: unknown, form_definition: unknown = null, payload: unknown = {}) =>
  formForMail({ response_schema, form_definition, payload }, "UTC", NOW);
const labelsOf = (...args: Parameters<typeof formOf>) => choicesOf(formOf(...args))?.options.map(({ label }) => label);

void test("each choice of a mail chooses what it says, in every form that has a decision", () => {
  let decisions = 0;
  for (const { name, response_schema, form_definition, payload } of FORM_FIXTURES) {
    const form = formOf(response_schema, form_definition, payload);
    const choices = choicesOf(form);
    if (choices === null) continue;
    decisions++;
    const shown = nodeNamed(form, choices.name, {});
    assert.ok("options" in shown, name);
    assert.deepEqual(
      choices.options.map(({ label }) => label),
      shown.options.map(({ label }) => label),
      `${name}: the labels of the form, in its order`,
    );
    for (const [index, { entry }] of choices.options.entries()) {
      const chosen = nodeNamed(form, choices.name, { [choices.name]: [entry] });
      assert.deepEqual(chosen.value, shown.options[index]!.value, name);
      assert.equal(chosen.problem, null, name);
    }
  }
  assert.ok(decisions >= 3, `only ${decisions} of the fixtures have a decision`);
});

function nodeNamed(form: ReturnType<typeof formOf>, name: string, entries: Record<string, string[]>) {
  return [...nodesOf(planForm(form, entries).root)].find((node) => node.name === name)!;
}

void test("a yes or no is asked with the names that it has for mail", () => {
  const schema = objectOf({ approved: { type: "boolean", title: "Pay?", description: "At once." } }, "approved");
  const names = (...texts: string[]) => ({ approved: { "ui:enumNames": texts } });
  const hints = { ui: names("Approve", "Reject"), channels: { email: { ui: names("Pay", "Do not pay") } } };
  assert.deepEqual(choicesOf(formOf(schema, hints)), {
    name: "/approved",
    question: "Pay?",
    description: "At once.",
    options: [
      { label: "Pay", entry: "true" },
      { label: "Do not pay", entry: "false" },
    ],
  });
});

void test("one of few is asked in the order of the form", () => {
  const decision = { oneOf: [{ const: "z", title: "Later" }, { const: "a", title: "Now" }, { const: 3 }] };
  assert.deepEqual(choicesOf(formOf(objectOf({ decision }, "decision")))?.options, [
    { label: "Later", entry: "0" },
    { label: "Now", entry: "1" },
    { label: "3", entry: "2" },
  ]);
});

void test("a text that the schema lists but does not take is no choice", () => {
  const pick = { enum: ["good", "BAD", "fine"], pattern: "^[a-z]+$" };
  assert.deepEqual(labelsOf(objectOf({ pick }, "pick")), ["Good", "Fine"]);
});

void test("nothing is asked by link where there is no decision", () => {
  const [ok, note] = [{ type: "boolean" }, { type: "string" }];
  assert.equal(choicesOf(formOf(objectOf({ note }, "note"))), null);
  assert.equal(choicesOf(formOf(objectOf({ ok, note }, "ok", "note"))), null, "two things have to be answered");
  assert.equal(choicesOf(formOf(objectOf({ six: { enum: [1, 2, 3, 4, 5, 6] } }, "six"))), null);
  assert.equal(choicesOf(formOf(objectOf({ terms: { const: true } }, "terms"))), null, "a consent is no decision");
  assert.equal(choicesOf(formOf("no schema")), null);
});

void test("a decision that other answers bring up, or that is hidden or cannot be changed, is not asked by link", () => {
  const ok = { type: "boolean" };
  const later = {
    ...objectOf({ amount: { type: "number" } }, "amount"),
    if: { properties: { amount: { minimum: 100 } }, required: ["amount"] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
    then: { properties: { ok }, required: ["ok"] },
  };
  const hints = { decision: "/ok" };
  assert.equal(choicesOf(formOf(later, hints)), null);
  const prefilled = { ...hints, prefill: { "/amount": "/amount" } };
  assert.deepEqual(labelsOf(later, prefilled, { amount: 200 }), ["Yes", "No"], "the payload has brought it up");
  const schema = objectOf({ ok, note: { type: "string" } }, "note");
  assert.equal(choicesOf(formOf(schema, { ...hints, ui: { ok: { "ui:widget": "hidden" } } })), null);
  assert.equal(choicesOf(formOf(schema, { ...hints, ui: { ok: { "ui:readonly": true } } })), null);
  assert.deepEqual(labelsOf(schema, hints), ["Yes", "No"]);
});

void test("a decision with a default or a copy from the payload is asked like every other", () => {
  const schema = objectOf({ ok: { type: "boolean", default: true } }, "ok");
  assert.deepEqual(labelsOf(schema, { prefill: { "/ok": "/ok" } }, { ok: false }), ["Yes", "No"]);
});
