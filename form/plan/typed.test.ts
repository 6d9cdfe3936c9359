import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPlan } from "./check.ts";
import type { Entries } from "./entries.ts";
import { nodesOf } from "./nodes.ts";
import { planForm, readForm } from "./plan.ts";

const response_schema = {
  type: "object",
  properties: { approved: { type: "boolean" }, confirm: { const: "drop table", title: 'Type "drop table"' } },
  required: ["approved"],
};

function formOf(ui: object, schema: object = response_schema) {
  return readForm({ response_schema: schema, form_definition: { ui }, time_zone: "UTC", now: new Date(0) });
}

/** Its text to type belongs to one answer only. */
const ONLY_YES = {
  ...response_schema,
  properties: { approved: { type: "boolean" } },
  if: { properties: { approved: { const: true } }, required: ["approved"] },
  // oxlint-disable-next-line unicorn/no-thenable -- this is the keyword's name
  then: { properties: { confirm: response_schema.properties.confirm } },
};

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

function jsonOf(answer: string, entries: Entries = {}) {
  const plan = planForm(typed, { "~mode": ["json"], "~json": [answer], ...entries });
  const errors = checkPlan(typed, plan).map(({ name, message }) => `${name} ${message}`);
  return { names: [...nodesOf(plan.root)].map(({ name }) => name), value: plan.value, errors };
}

void test("an answer written as JSON needs the text as well, in a field of its own", () => {
  const refused = ["/confirm Type this text exactly."];
  for (const answer of ['{"approved": true}', '{"approved": true, "confirm": "drop table"}'])
    for (const entries of [{}, { "/confirm": ["drop"] }, { "/approved": ["false"] }] as Entries[])
      assert.deepEqual(jsonOf(answer, entries).errors, refused, answer);
  const right = jsonOf('{"approved": true}', { "/confirm": [" Drop table "] });
  assert.deepEqual(right, { names: ["~", "", "/confirm"], value: { approved: true }, errors: [] });
});

void test("an answer written as JSON needs the text only where the form asks for it", () => {
  const form = formOf({ confirm: { "ui:widget": "typed" } }, ONLY_YES);
  const errorsOf = (answer: string, entries: Entries = {}): number =>
    checkPlan(form, planForm(form, { "~mode": ["json"], "~json": [answer], ...entries })).length;
  assert.equal(errorsOf('{"approved": false}'), 0);
  assert.equal(errorsOf('{"approved": true}'), 1);
  // What was entered in the form before is not part of this answer.
  assert.equal(errorsOf('{"approved": true}', { "/approved": ["false"] }), 1);
  assert.equal(errorsOf("{"), 1);
});

void test("a text has to be typed even in a form that is too large to draw", () => {
  const rows = Array.from({ length: 190 }, () =>
    Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, "x"])),
  );
  const items = { properties: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, { type: "string" }])) };
  const properties = { rows: { type: "array", items }, ...response_schema.properties, more: items };
  const form = readForm({
    response_schema: { ...response_schema, properties },
    form_definition: { ui: { confirm: { "ui:widget": "typed" } }, prefill: { "/rows": "/rows" } },
    payload: { rows },
    time_zone: "UTC",
    now: new Date(0),
  });
  const plan = planForm(form, { "/approved": ["true"] });
  const kinds = new Map([...nodesOf(plan.root)].map(({ name, kind }) => [name, kind]));
  assert.deepEqual([kinds.get("/more"), kinds.get("/approved"), kinds.get("/confirm")], ["json", "bool", "text"]);
  assert.deepEqual(
    checkPlan(form, plan).map(({ name }) => name),
    ["/confirm"],
  );
});

void test("without a text to type there is no such field", () => {
  const number = { properties: { confirm: { const: 7 } } };
  assert.deepEqual(outcomeOf({}, formOf({ confirm: { "ui:widget": "typed" } }, number)).errors, []);
  assert.deepEqual(outcomeOf({}, formOf({})).errors, []);
});
