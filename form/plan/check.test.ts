import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPlan, explain } from "./check.ts";
import type { Plan } from "./plan.ts";
import { planForm, readForm } from "./plan.ts";
import { TEXT_RULES } from "./text-rules.ts";
import { objectOf, tryForm } from "../fixtures/try-form.ts";

function planned(response_schema: unknown, json: string): { plan: Plan; says: string[] } {
  const form = readForm({ response_schema, time_zone: "UTC", now: new Date("2026-11-22T12:00:00Z") });
  const plan = planForm(form, { "~mode": ["json"], "~json": [json] });
  return { plan, says: checkPlan(form, plan).map(({ message }) => message) };
}

void test("a box of JSON says at once all the names that an object in it lacks", () => {
  const ship = { required: ["city", "zip"], dependentRequired: { city: ["street"] } };
  const schema = { type: "object", properties: { ship }, required: ["a", "b", "c"] };
  assert.deepEqual(planned(schema, '{"b":1}').says, ['Add the missing fields "a", "c".']);
  const inner = planned(schema, '{"a":1,"b":1,"c":1,"ship":{"city":1}}').says;
  assert.deepEqual(inner, ['At ship: Add the missing fields "zip", "street".']);
});

void test("a limit behind a reference is told", () => {
  const schema = { properties: { a: { $ref: "urn:x:short" } }, $defs: { s: { $id: "urn:x:short", maxLength: 2 } } };
  assert.deepEqual(planned(schema, '{"a":"abc"}').says, ["At a: Use at most 2 characters."]);
});

void test("what the service found is told without more than its keyword", () => {
  const { plan } = planned({ required: ["a"] }, "{}");
  const [error] = explain(plan, [{ path: "", keyword: "required" }]);
  assert.equal(error?.message, "A required value is missing here.");
});

void test("a schema that refers to a meta-schema has a form, and the service checks that part of the answer", () => {
  const schema = {
    properties: { a: { type: "integer" }, b: { $ref: "https://json-schema.org/draft/2020-12/schema" } },
  };
  assert.deepEqual(planned(schema, '{"a":1.5,"b":{"type":"int"}}').says, ["At a: Use a whole number here."]);
});

const TEXT = { type: "string" };

void test("each field says one thing, in the order of the fields, and what was entered before what it means", () => {
  const note = { type: "string", minLength: 3, pattern: "^[a-z]+$", format: "email" };
  const fields = { z: TEXT, a: { type: "integer", minimum: 5, multipleOf: 2 }, note, n: { type: "number" } };
  const { says } = tryForm(objectOf(fields, "z", "a", "note", "n"), {
    texts: TEXT_RULES,
    entries: { "/a": ["3"], "/note": ["X"], "/n": ["many"] },
  });
  assert.deepEqual(says, [
    "/z: Required",
    "/a: Use 5 or more.",
    "/note: Use at least 3 characters.",
    "/n: Enter a number, such as 12 or 12.5.",
  ]);
});

void test("an error about an object is told at the fields that it lacks", () => {
  const group = { type: "object", additionalProperties: { type: "number" }, required: ["b"] };
  const { says } = tryForm(objectOf({ g: group }, "g"));
  assert.deepEqual(says, ["/g/b: Required"]);
  const { plan } = tryForm(objectOf({ ok: { type: "boolean" }, terms: { const: true }, note: TEXT }, "ok", "terms"));
  for (const keyword of ["required", "dependentRequired", "dependencies"])
    assert.deepEqual(
      explain(plan, [{ path: "", keyword }]).map(({ name, message }) => `${name}: ${message}`),
      ["/ok: Choose one.", "/terms: Tick this box to continue."],
      keyword,
    );
  // No field is missing in this case, so the error is about something else.
  assert.deepEqual(
    explain(plan, [{ path: "", keyword: "minProperties", params: { limit: 2, actual: 1 } }]).map((error) => error.name),
    [""],
  );
});

void test("fields of which one is needed are named by their titles", () => {
  const fields = { "e/mail": { ...TEXT, title: "E-mail" }, phone: TEXT, city: TEXT, zip: TEXT };
  const needs = [{ required: ["e/mail"] }, { required: ["phone"] }, { required: ["city", "zip"] }];
  assert.deepEqual(tryForm({ ...objectOf(fields), anyOf: needs }).says, [": Fill in E-mail, Phone or City and Zip."]);
  const both = { "/e~1mail": ["a"], "/phone": ["b"] };
  const one = tryForm({ ...objectOf(fields), oneOf: needs }, { entries: both });
  assert.deepEqual(one.says, [": Fill in only one of these: E-mail, Phone or City and Zip."]);
  const other = tryForm({ ...objectOf(fields), anyOf: [...needs, { required: ["fax"] }] });
  assert.deepEqual(other.says, [": Fill in E-mail, Phone, City and Zip or fax."]);
  // A branch with further keywords is not such a requirement.
  const mixed = tryForm({ ...objectOf(fields), anyOf: [{ required: ["phone"] }, { minProperties: 3 }] });
  assert.deepEqual(mixed.says, [": A required value is missing here."]);
});

void test("an error that a control cannot put right offers JSON, any other does not", () => {
  const form = readForm({
    response_schema: { ...objectOf({ a: TEXT, b: { type: "string", minLength: 3 } }), not: { required: ["a"] } },
    time_zone: "UTC",
    now: new Date("2026-11-22T12:00:00Z"),
  });
  const errors = checkPlan(form, planForm(form, { "/a": ["x"], "/b": ["y"] }));
  assert.deepEqual(
    errors.map(({ name, isUnusual }) => [name, isUnusual]),
    [
      ["", true],
      ["/b", false],
    ],
  );
});

void test("a limit that is not told is known from the plan", () => {
  const fields = {
    t: { type: "string", minLength: 2, maxLength: 9 },
    n: { type: "number", minimum: 2, maximum: 9, exclusiveMinimum: 1, exclusiveMaximum: 10, multipleOf: 0.5 },
    l: { type: "array", items: TEXT, minItems: 2, maxItems: 9 },
    b: { type: "boolean" },
  };
  const { plan } = tryForm(objectOf(fields));
  const says = (path: string, keyword: string) => explain(plan, [{ path, keyword }])[0]?.message;
  assert.equal(says("/t", "minLength"), "Use at least 2 characters.");
  assert.equal(says("/t", "maxLength"), "Use at most 9 characters.");
  assert.equal(says("/n", "minimum"), "Use 2 or more.");
  assert.equal(says("/n", "maximum"), "Use 9 or less.");
  assert.equal(says("/n", "exclusiveMinimum"), "Use more than 1.");
  assert.equal(says("/n", "exclusiveMaximum"), "Use less than 10.");
  assert.equal(says("/n", "multipleOf"), "Use a multiple of 0.5.");
  assert.equal(says("/l", "minItems"), "Add at least 2 entries.");
  assert.equal(says("/l", "maxItems"), "Keep at most 9 entries.");
  assert.equal(says("/b", "minimum"), "This number is too small.");
  // Explicit parameters take precedence over the plan's values.
  const told = explain(plan, [{ path: "/t", keyword: "minLength", params: { limit: 5, actual: 1 } }]);
  assert.equal(told[0]?.message, "Use at least 5 characters.");
});

void test("an error inside of what is drawn as one stands at that, and inside of something hidden around it", () => {
  const g = objectOf({ id: { const: 1 }, a: TEXT }, "id");
  const f = { oneOf: [objectOf({ k: { const: 1 }, x: TEXT }, "k", "x"), objectOf({ k: { const: 2 } }, "k")] };
  const { plan } = tryForm(objectOf({ any: {}, g, f }, "g"), { entries: { "/f~form": ["0"] } });
  const at = (path: string) => explain(plan, [{ path, keyword: "type" }])[0]?.name;
  assert.deepEqual([at("/any/0/b"), at("/g/id"), at("/nothing"), at(""), at("/g/a/x")], ["/any", "/g", "", "", "/g/a"]);
  assert.equal(at("/f"), "/f");
  // Of two findings at one place, the first counts.
  const twice = [
    { path: "/g/a", keyword: "minLength" },
    { path: "/g/a", keyword: "pattern" },
  ];
  assert.deepEqual(
    explain(plan, twice).map((error) => error.message),
    ["This is too short."],
  );
});

void test("an error about a record stands at it, one about a name at the name", () => {
  const labels = { type: "object", additionalProperties: TEXT, minProperties: 3, propertyNames: { maxLength: 2 } };
  const entries = { "/l~rows": ["2"], "/l/0~key": ["abc"], "/l/0": ["x"], "/l/1~key": ["b"], "/l/1": ["y"] };
  const { says } = tryForm(objectOf({ l: labels }), { entries });
  assert.deepEqual(says, ["/l: Fill in at least 3 of these.", "/l/0~key: Use at most 2 characters."]);
  const value = { ...labels, minProperties: 0, additionalProperties: { type: "string", minLength: 2 } };
  const long = tryForm(objectOf({ l: value, propertyNames: { type: "string", maxLength: 1 } }), {
    entries: { ...entries, "/l/0~key": ["a"], "/propertyNames": ["xy"], "/l/1": ["yy"] },
  });
  assert.deepEqual(long.says, ["/l/0: Use at least 2 characters.", "/propertyNames: Use at most 1 character."]);
});

void test("an answer that takes too much work to check is not sent as if it were right", () => {
  const rule = { items: { type: "object", allOf: [{ minProperties: 0 }, { maxProperties: 9 }] } };
  const schema = { properties: { a: { items: { allOf: Array.from({ length: 9 }, () => rule) } } } };
  const rows = Array.from({ length: 40 }, () => ({}));
  const big = JSON.stringify({ a: Array.from({ length: 1_000 }, () => rows) });
  assert.match(planned(schema, big).says.join(), /too large to check/);
});

void test("a pattern that cannot be settled here is left to the service", () => {
  const schema = objectOf({ a: { type: "string", pattern: "^x" } });
  assert.deepEqual(tryForm(schema, { entries: { "/a": ["y"] } }).says, []);
  const undecided = { ...TEXT_RULES, matches: () => undefined };
  assert.deepEqual(tryForm(schema, { entries: { "/a": ["y"] }, texts: undecided }).says, []);
  assert.equal(tryForm(schema, { entries: { "/a": ["y"] }, texts: TEXT_RULES }).says.length, 1);
});

void test("a time or a date that exists and breaks a pattern is not told that it does not exist", () => {
  const schema = objectOf({
    at: { type: "string", format: "time", pattern: "^0[89]:" },
    on: { type: "string", format: "date", pattern: "-01$" },
  });
  const form = readForm({
    response_schema: schema,
    time_zone: "UTC",
    now: new Date("2026-11-22T12:00:00Z"),
    texts: TEXT_RULES,
  });
  const plan = planForm(form, { "/at": ["14:30"], "/on": ["2026-11-22"] });
  for (const { message } of checkPlan(form, plan)) assert.match(message, /^This doesn't match the expected format/);
  assert.equal(checkPlan(form, plan).length, 2);
});

void test("an error in a row of a list names the row, however deep it is", () => {
  const sku = { type: "object", required: ["sku"], properties: { sku: { type: "string", minLength: 3 } } };
  const schema = {
    type: "object",
    properties: {
      note: { type: "string", minLength: 5 },
      items: { type: "array", items: sku },
      boxes: { type: "array", items: { type: "object", properties: { items: { type: "array", items: sku } } } },
    },
  };
  const { form, plan } = tryForm(schema, {
    entries: {
      "/note": ["x"],
      "/items~rows": ["2"],
      "/items/0/sku": [""],
      "/items/1/sku": ["x"],
      "/boxes~rows": ["1"],
      "/boxes/0/items~rows": ["1"],
    },
  });
  const titles = checkPlan(form, plan).map(({ title }) => title);
  assert.deepEqual(titles, ["Note", "Item 1: SKU", "Item 2: SKU", "Box 1: Item 1: SKU"]);
});
