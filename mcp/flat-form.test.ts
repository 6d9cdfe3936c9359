import assert from "node:assert/strict";
import { test } from "node:test";
import { isSpecType } from "@modelcontextprotocol/server";
import * as fc from "fast-check";
import { parseSchema } from "../json-schema/parse-schema.ts";
import { validate } from "../json-schema/validate.ts";
import { answerIn, flatFormOf, flatSchema } from "./flat-form.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

function fits(schema: object, value: unknown): boolean {
  const parsed = parseSchema(schema);
  assert.ok(parsed.ok);
  return validate(parsed.schema, value).status === "valid";
}

void test("text, numbers, yes or no, and choices have a form, with their labels and limits", () => {
  const schema = object(
    {
      text: { type: "string", title: "Text", minLength: 1, maxLength: 5, format: "email", default: "a@b.c" },
      amount: { type: "number", description: "In euros", minimum: 0, maximum: 9.5, default: 1 },
      count: { type: "integer" },
      sure: { type: "boolean", default: true },
      size: { enum: ["S", "M"], title: "Size" },
      color: { type: "string", oneOf: [{ const: "#f00", title: "Red" }, { const: "#0f0" }] },
      tags: { type: "array", items: { enum: ["x", "y"] }, minItems: 1, maxItems: 2, uniqueItems: true },
      named: { type: "array", items: { oneOf: [{ const: "x", title: "X" }] } },
    },
    { required: ["text"], additionalProperties: false, $schema: "https://json-schema.org/draft/2020-12/schema" },
  );
  const flat = flatSchema(schema);
  assert.deepEqual(flat, {
    type: "object",
    properties: {
      ...schema.properties,
      size: { type: "string", enum: ["S", "M"], title: "Size" },
      color: {
        type: "string",
        oneOf: [
          { const: "#f00", title: "Red" },
          { const: "#0f0", title: "#0f0" },
        ],
      },
      tags: { type: "array", items: { type: "string", enum: ["x", "y"] }, minItems: 1, maxItems: 2 },
      named: { type: "array", items: { anyOf: [{ const: "x", title: "X" }] } },
    },
    required: ["text"],
  });
  const params = { mode: "form", message: "?", requestedSchema: flat };
  assert.ok(isSpecType.ElicitRequestFormParams(params), "the protocol takes it");
});

/** Fields that a flat form cannot express exactly. */
const RICHER: Record<string, object> = {
  pattern: { type: "string", pattern: "^a" },
  "another format": { type: "string", format: "uuid" },
  "a fixed value": { const: "x" },
  "an open limit": { type: "number", exclusiveMinimum: 0 },
  "a step": { type: "number", multipleOf: 0.5 },
  "several types": { type: ["string", "null"] },
  "choices of numbers": { enum: [1, 2] },
  "choices of several types": { enum: ["a", null] },
  "choices within limits": { enum: ["a", "bb"], minLength: 2 },
  "choices that are schemas": { oneOf: [{ type: "string" }, { const: "x" }] },
  "the same choice twice": { oneOf: [{ const: "x" }, { const: "x", title: "X" }] },
  object: { type: "object", properties: { a: { type: "string" } } },
  "any list": { type: "array", items: { type: "string" } },
  "a list that contains": { type: "array", items: { enum: ["a"] }, contains: { const: "a" } },
  "a list of choices of numbers": { type: "array", items: { enum: [1] } },
  reference: { $ref: "#/$defs/x" },
  anything: {},
  nothing: { not: {} },
};

void test("what a flat form cannot express exactly has none", () => {
  for (const [what, field] of Object.entries(RICHER)) assert.equal(flatSchema(object({ field })), null, what);
  const field = { type: "string" };
  for (const [what, schema] of Object.entries({
    "no object": { type: "string" },
    "no type": { properties: { field } },
    "no fields": object({}),
    "a required field that nothing describes": object({ field }, { required: ["other"] }),
    "a boolean schema": object({ field: true }),
    "rules between fields": object({ field }, { dependentRequired: { field: ["other"] } }),
    conditions: object({ field }, { if: {}, else: {} }),
    "fields by a pattern": object({ field }, { patternProperties: { "^a": {} } }),
    "a number of fields": object({ field }, { minProperties: 1 }),
  }))
    assert.equal(flatSchema(schema), null, what);
});

const text = fc.string({ maxLength: 3 });
const limit = fc.integer({ min: 0, max: 4 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const texts = fc.uniqueArray(text, { minLength: 1, maxLength: 3 });
/** Fields of each kind, some with a keyword that the form cannot have. */
const field: fc.Arbitrary<object> = fc
  .tuple(
    fc.oneof(
      fc.record({ type: fc.constant("string"), minLength: maybe(limit), maxLength: maybe(limit) }),
      fc.record({ type: fc.constantFrom("number", "integer"), minimum: maybe(limit), maximum: maybe(limit) }),
      fc.record({ type: fc.constant("boolean") }),
      fc.record({ type: maybe(fc.constant("string")), enum: texts }),
      fc.record({ oneOf: texts.map((all) => all.map((one) => ({ const: one }))) }),
      fc.record({
        type: fc.constant("array"),
        items: fc.record({ enum: texts }),
        minItems: maybe(limit),
        maxItems: maybe(limit),
        uniqueItems: maybe(fc.boolean()),
      }),
    ),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constantFrom(...Object.values(RICHER)) },
    ),
  )
  .map(([base, more]) => JSON.parse(JSON.stringify({ ...base, ...more })) as object);
const schemas = fc.record({
  type: fc.constant("object"),
  properties: fc.dictionary(fc.constantFrom("a", "b"), field, { minKeys: 1 }),
  required: fc.subarray(["a"]),
  additionalProperties: fc.boolean(),
});
const value = fc.oneof(
  text,
  limit,
  fc.boolean(),
  fc.double({ noNaN: true, min: 0, max: 5 }),
  fc.uniqueArray(text, { maxLength: 3 }),
);
const content = fc.dictionary(fc.constantFrom("a", "b"), value);

void test("an answer of known fields fits the form exactly if it fits the question", () => {
  let forms = 0;
  fc.assert(
    fc.property(schemas, fc.array(content, { maxLength: 20 }), (schema, answers) => {
      const flat = flatSchema(schema);
      if (flat === null) return;
      forms++;
      assert.ok(isSpecType.ElicitRequestFormParams({ message: "?", requestedSchema: flat }));
      for (const answer of answers) {
        if (!Object.keys(answer).every((name) => name in flat.properties)) continue;
        assert.equal(fits(flat, answer), fits(schema, answer), JSON.stringify({ schema, answer }));
      }
    }),
    { numRuns: 500 },
  );
  assert.ok(forms > 100, `${forms} forms`);
});

const TASK = { task: "Size?", payload: {}, action: null, response_schema: object({ size: { type: "string" } }) };
const ACTION = {
  name: "refund",
  risk: "normal" as const,
  description: null,
  allowed: ["approve", "reject"] as ("approve" | "edit" | "reject" | "respond")[],
  editable: null,
  message_required: [] as ("approve" | "edit" | "reject" | "respond")[],
  args: { amount: 4 },
  args_schema: {},
  ui_schema: null,
};

void test("the answer has the known fields alone, and no optional one that was left empty", () => {
  const form = flatFormOf({
    ...TASK,
    response_schema: object({ a: { type: "string" }, b: { type: "string" } }, { required: ["a"] }),
  })!;
  assert.deepEqual(answerIn(form, { a: "", b: "", c: "x" }), { a: "" });
  assert.deepEqual(answerIn(form, { b: "y", toString: "x" }), { b: "y" });
});

void test("a decision needs the messages that the action asks for", () => {
  const formFor = (fields: Partial<typeof ACTION>) => flatFormOf({ ...TASK, action: { ...ACTION, ...fields } })!;
  assert.deepEqual(formFor({}).schema.required, ["decision"]);
  assert.equal(formFor({}).isPartial, false);
  const message = (fields: Partial<typeof ACTION>) => formFor(fields).schema.properties["message"]!.description;
  assert.equal(message({}), undefined);
  assert.equal(
    message({ allowed: ["approve", "respond"], message_required: ["approve"] }),
    "Needed for: Approve, Respond with a message.",
  );
  assert.deepEqual(formFor({ allowed: ["respond"] }).schema.required, ["decision", "message"]);
  assert.equal(formFor({ allowed: ["approve", "edit"] }).isPartial, true);
  assert.equal(flatFormOf({ ...TASK, action: { ...ACTION, allowed: ["edit"] } }), null);
});

void test("a message shows all that the question has, or there is no form", () => {
  const shown = flatFormOf({ ...TASK, payload: { customer: "Mia", order: { id: 7 } } })!;
  assert.equal(shown.message, 'Size?\ncustomer: Mia\norder: {"id":7}');
  assert.equal(flatFormOf({ ...TASK, payload: { text: "x".repeat(4000) } }), null);
});
