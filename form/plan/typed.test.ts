import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPlan } from "./check.ts";
import type { Entries } from "./entries.ts";
import { planForm, readForm } from "./plan.ts";

const response_schema = {
  type: "object",
  properties: { approved: { type: "boolean" }, confirm: { const: "drop table", title: 'Type "drop table"' } },
  required: ["approved"],
};

function formOf(ui: object, schema: object = response_schema) {
  return readForm({ response_schema: schema, form_definition: { ui }, time_zone: "UTC", now: new Date(0) });
}

const typed = formOf({ confirm: { "ui:widget": "typed" } });

function outcomeOf(entries: Entries, form = typed) {
  const plan = planForm(form, { "/approved": ["true"], ...entries });
  return { value: plan.value, errors: checkPlan(form, plan).map(({ name, message }) => `${name} ${message}`) };
}

void test("a form demands a text that has to be typed, though its schema does not", () => {
  const wrong = { value: { approved: true }, errors: ["/confirm Type this text exactly."] };
  for (const entry of [[], [""], ["drop"], ["drop tables"], ["0"]])
    assert.deepEqual(outcomeOf(entry.length === 0 ? {} : { "/confirm": entry }), wrong, entry[0] ?? "");
  const typedRight = { value: { approved: true, confirm: "drop table" }, errors: [] };
  for (const entry of ["drop table", " Drop table "])
    assert.deepEqual(outcomeOf({ "/confirm": [entry] }), typedRight, entry);
});

void test("an earlier answer does not fill in a text that has to be typed", () => {
  const plan = planForm(typed, {}, { approved: true, confirm: "drop table" });
  assert.deepEqual(plan.value, { approved: true });
});

void test("without a text to type there is no such field", () => {
  const number = { properties: { confirm: { const: 7 } } };
  assert.deepEqual(outcomeOf({}, formOf({ confirm: { "ui:widget": "typed" } }, number)).errors, []);
  assert.deepEqual(outcomeOf({}, formOf({})).errors, []);
});
