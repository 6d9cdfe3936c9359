import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPlan } from "./check.ts";
import { applyPress } from "./entries.ts";
import { nodesOf } from "./nodes.ts";
import type { FormNode } from "./nodes.ts";
import { entriesOf, planForm, readForm } from "./plan.ts";
import type { Form } from "./plan.ts";

function formOf(response_schema: unknown, form_definition?: unknown, payload?: unknown): Form {
  const now = new Date("2026-11-22T12:00:00Z");
  return readForm({ response_schema, form_definition, payload, time_zone: "UTC", now });
}

function object(properties: Record<string, unknown>, ...required: string[]) {
  return { type: "object", properties, required };
}

function fieldOf(form: Form, name: string, entries = {}): FormNode {
  const node = [...nodesOf(planForm(form, entries).root)].find((known) => known.name === name);
  assert.ok(node);
  return node;
}

void test("a text that is the only thing asked for starts with its draft", () => {
  const form = formOf(
    object({ reply: { type: "string" } }, "reply"),
    { prefill: { "/reply": "/draft" } },
    { draft: "Hi" },
  );
  assert.deepEqual(planForm(form, {}).value, { reply: "Hi" });
  assert.deepEqual(planForm(form, {}).changes, []);
});

void test("no hint gives a consent or makes the decision, and what was not filled in was not changed", () => {
  const schema = object({ agreed: { const: true }, paid: { type: "boolean" } }, "agreed", "paid");
  const hints = { decision: "/paid", prefill: { "/agreed": "/yes", "/paid": "/yes" } };
  const plan = planForm(formOf(schema, hints, { yes: true }), {});
  assert.deepEqual([plan.value, plan.changes], [{}, []]);
});

void test("a text of several lines gets room for them", () => {
  const form = formOf(object({ subject: { type: "string" } }), { prefill: { "/subject": "/s" } }, { s: "One\nTwo" });
  const node = fieldOf(form, "/subject");
  assert.equal(node.kind === "text" && node.look, "area");
});

void test("fields after a thousand options are asked as strictly as those before", () => {
  const values = Array.from({ length: 1_000 }, (_, index) => `Place ${index}`);
  const form = formOf({
    ...object({ ok: { type: "boolean" }, place: { enum: values }, name: { type: "string" } }, "ok", "place", "name"),
    if: { properties: { ok: { const: true } }, required: ["ok"] },
    // oxlint-disable-next-line unicorn/no-thenable -- this is the keyword's name
    then: object({ why: { type: "string" } }, "why"),
  });
  const plan = planForm(form, { "/ok": ["false"] });
  assert.deepEqual(
    checkPlan(form, plan).map(({ name, message }) => [name, message]),
    [
      ["/place", "Choose one."],
      ["/name", "Required"],
    ],
  );
});

void test("a condition on a question that is still open brings nothing up, whatever its name", () => {
  const form = formOf({
    ...object({ "ok/not": { type: "boolean" } }, "ok/not"),
    if: { properties: { "ok/not": { const: true } } },
    // oxlint-disable-next-line unicorn/no-thenable -- this is the keyword's name
    then: object({ why: { type: "string" } }, "why"),
  });
  const names = [...nodesOf(planForm(form, {}).root)].map((node) => node.name);
  assert.deepEqual(names, ["", "/ok~1not"]);
});

void test("an answer that is written as JSON for the second time holds what the form holds", () => {
  const form = formOf(object({ note: { type: "string" } }));
  let entries = entriesOf(planForm(form, { "/note": ["Hi"] }));
  for (const act of ["json", "form", "json"] as const)
    entries = applyPress({ ...entriesOf(planForm(form, entries)), ...entries }, { act, name: "" });
  assert.deepEqual(planForm(form, entries).value, { note: "Hi" });
});

void test("of an answer that has several forms, what is written as JSON counts, not the form that was chosen", () => {
  const kind = (name: string) => object({ kind: { const: name }, note: { type: "string" } }, "kind");
  const form = formOf({ type: "object", oneOf: [kind("a"), kind("b")] });
  const chosen = planForm(form, { "~form": ["0"], "/note": ["Hi"] });
  assert.deepEqual(chosen.value, { kind: "a", note: "Hi" });
  const box = planForm(form, applyPress(entriesOf(chosen), { act: "json", name: "" }));
  assert.deepEqual([box.value, Object.keys(entriesOf(box))], [chosen.value, ["~mode", "~json"]]);
  const written = planForm(form, { ...entriesOf(box), "~json": ['{"kind": "b"}'] });
  assert.deepEqual(written.value, { kind: "b" });
});

void test("a property without a name has a label", () => {
  assert.equal(fieldOf(formOf(object({ "": { type: "string" } })), "/").title, "(no name)");
});

void test("rows that came filled in, in parts nobody can change, stay where they are", () => {
  const line = object({ sku: { type: "string" }, quantity: { type: "integer" } }, "sku", "quantity");
  const schema = object({ lines: { type: "array", items: line } }, "lines");
  const payload = {
    lines: [
      { sku: "A", quantity: 1 },
      { sku: "B", quantity: 2 },
    ],
  };
  const removable = (ui: unknown): boolean => {
    const node = fieldOf(formOf(schema, { ui, prefill: { "/lines": "/lines" } }, payload), "/lines");
    return node.kind === "list" && node.canRemove;
  };
  assert.equal(removable({ lines: { items: { sku: { "ui:readonly": true } } } }), false);
  assert.equal(removable({ lines: { items: { sku: { "ui:widget": "hidden" } } } }), false);
  assert.equal(removable({}), true);
});

void test("of a group that was filled in, the changes are those of its fields", () => {
  const args = {
    type: "object",
    properties: { amount: { type: "number" }, to: { properties: { name: { type: "string" } } } },
  };
  const form = readForm({
    response_schema: { type: "object", properties: { args } },
    form_definition: { prefill: { "/args": "" } },
    payload: { amount: 90, to: { name: "Mia" } },
    time_zone: "UTC",
    now: new Date(0),
  });
  assert.deepEqual(planForm(form, {}).changes, []);
  const { changes } = planForm(form, { "/args/amount": ["45"], "/args/to/name": ["Lee"] });
  assert.deepEqual(
    changes.map(({ node, before, after }) => [node.name, before, after]),
    [
      ["/args/amount", 90, 45],
      ["/args/to/name", "Mia", "Lee"],
    ],
  );
});
