import assert from "node:assert/strict";
import { test } from "node:test";
import type { NumberNode, TextNode, VariantNode } from "./nodes.ts";
import { planForm } from "./plan.ts";
import { TEXT_RULES } from "./text-rules.ts";
import { objectOf, tryForm } from "../fixtures/try-form.ts";

const TEXT = { type: "string" };
const DRAFT_07 = { $schema: "http://json-schema.org/draft-07/schema#" };

void test("what is said behind references and in parts counts, once", () => {
  const $defs = { pick: { oneOf: [{ const: "a" }, { const: "b" }] }, short: { maxLength: 3 } };
  const f = { allOf: [{ $ref: "#/$defs/pick" }, { $ref: "#/$defs/pick" }] };
  assert.equal(tryForm({ $defs, ...objectOf({ f }) }).at("/f").kind, "choice");
  const g = { type: "string", $ref: "#/$defs/short", allOf: [{ minLength: 2 }] };
  const { min, max } = tryForm({ $defs, ...objectOf({ g }) }).at("/g") as TextNode;
  assert.deepEqual([min, max], [2, 3]);
  const anchored = { $dynamicAnchor: "t", $defs, ...objectOf({ next: { $dynamicRef: "#t" }, f: TEXT }) };
  assert.equal(tryForm(anchored).at("/next").kind, "group");
  const number = { allOf: [{ type: "number" }, { type: "integer" }] };
  assert.equal((tryForm(objectOf({ number })).at("/number") as NumberNode).whole, true);
});

void test("beside a reference of draft-07 only words count", () => {
  const definitions = { long: { type: "string", maxLength: 200, title: "Long" } };
  const f = { $ref: "#/definitions/long", type: "number", maxLength: 3, title: "Short", description: "Short indeed." };
  const old = tryForm({ ...DRAFT_07, definitions, ...objectOf({ f }) }).at("/f") as TextNode;
  assert.deepEqual([old.kind, old.max, old.title, old.description], ["text", 200, "Short", "Short indeed."]);
  const { type: _, ...beside } = f;
  const now = tryForm({ definitions, ...objectOf({ f: beside }) }).at("/f") as TextNode;
  assert.deepEqual([now.kind, now.max, now.title], ["text", 3, "Short"]);
});

void test("a choice between something and nothing is that something, which may be left empty", () => {
  const $defs = { nothing: { type: "null" }, also: { $ref: "#/$defs/nothing" } };
  const nothings = [
    { type: "null" },
    { const: null },
    { enum: [null] },
    { $ref: "#/$defs/nothing" },
    { $ref: "#/$defs/also" },
  ];
  for (const nothing of nothings) {
    const { at, plan } = tryForm({ $defs, ...objectOf({ f: { anyOf: [TEXT, nothing] } }, "f") });
    assert.deepEqual([at("/f").kind, plan.value], ["text", { f: null }], JSON.stringify(nothing));
  }
  const never = tryForm(objectOf({ f: { anyOf: [false, TEXT] } }, "f"));
  assert.deepEqual([never.at("/f").kind, never.says], ["text", ["/f: Required"]]);
});

void test("branches that only demand something are no forms to choose from", () => {
  const [a, b] = [objectOf({ a: TEXT }, "a"), objectOf({ b: TEXT }, "b")];
  const names = (...anyOf: unknown[]) => tryForm({ ...objectOf({ x: TEXT }), anyOf }).names;
  assert.deepEqual(names(a, b), ["~form"]);
  assert.deepEqual(names({ required: ["x"] }, a, b), ["/x"]);
  assert.deepEqual(names({ required: ["x"], title: "X" }, { required: ["y"], not: { required: ["x"] } }), ["/x"]);
  assert.equal((tryForm({ anyOf: [a, { minProperties: 2 }] }).at("~form") as VariantNode).options.length, 2);
});

void test("what applies in any case makes no question depend on an answer", () => {
  const schema = { ...objectOf({ a: TEXT }), dependentSchemas: { a: true } };
  assert.equal(tryForm(schema).plan.branches, false);
});

void test("a schema of very many parts has a form of the first of them, and JSON for all", () => {
  const allOf = Array.from({ length: 400 }, (_, index) => objectOf({ [`f${index}`]: TEXT }));
  const { names } = tryForm({ type: "object", allOf });
  assert.ok(names.length > 150 && names.length <= 200, `${names.length} fields`);
  const entries = { "~mode": ["json"], "~json": ['{"f399": "x"}'] };
  assert.deepEqual(tryForm({ type: "object", allOf }, { entries }).plan.value, { f399: "x" });
});

/** Counts how often a text is matched. */
function counting(): { texts: typeof TEXT_RULES; count: () => number } {
  let count = 0;
  const matches: typeof TEXT_RULES.matches = (...asked) => {
    count++;
    return TEXT_RULES.matches(...asked);
  };
  return { texts: { ...TEXT_RULES, matches }, count: () => count };
}

void test("however many options and rows a form has, only so many questions are asked for it", () => {
  const pick = { pattern: "^x", enum: Array.from({ length: 100 }, (_, index) => `x${index}`) };
  const { texts, count } = counting();
  const schema = objectOf({ list: { type: "array", items: objectOf({ pick }) } });
  tryForm(schema, { texts, entries: { "/list~rows": ["100"] } });
  assert.ok(count() > 2_500 && count() < 5_500, `${count()} questions`);
});

void test("a question that takes too much work is not gone on with, and counts as yes", () => {
  const list = Array.from({ length: 60_000 }, () => "x");
  const { texts, count } = counting();
  const schema = objectOf({ f: { type: "array", items: { type: "string", pattern: "^x" } }, note: TEXT });
  const hints = { prefill: { "/f": "/f" }, ui: { f: { "ui:widget": "hidden" } } };
  const { form, plan } = tryForm(schema, { texts, hints, payload: { f: list } });
  assert.deepEqual((plan.value as { f: unknown }).f, list);
  const before = count();
  planForm({ ...form, source: { ...form.source!, texts } }, {});
  assert.ok(count() - before < 50_000, `${count() - before} texts`);
});

void test("a form that is drawn again and again stays the same", () => {
  const optional = { anyOf: [TEXT, { type: "null" }] };
  const fields = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}`, optional]));
  const { form, plan } = tryForm(objectOf(fields, "f599"));
  assert.deepEqual(planForm(form, {}), plan);
  assert.deepEqual(planForm(form, {}).value, { f599: null });
});

void test("a pattern that is still to be settled hides no other error", () => {
  const schema = objectOf({ a: { type: "string", pattern: "^x" }, b: { type: "integer", minimum: 5 } });
  const texts = { ...TEXT_RULES, matches: () => undefined };
  assert.deepEqual(tryForm(schema, { texts, entries: { "/a": ["y"], "/b": ["1"] } }).says, ["/b: Use 5 or more."]);
});

void test("a schema that the service would not accept is answered in JSON", () => {
  for (const schema of [3, "x", null, { type: "nonsense" }, { $ref: "#/nowhere" }, { type: "constructor" }]) {
    const { at, plan } = tryForm(schema, { entries: { "~json": ['{"a": 1}'] }, hints: { a: {}, decision: "/a" } });
    assert.deepEqual([at("").kind, plan.value], ["json", { a: 1 }]);
  }
});
