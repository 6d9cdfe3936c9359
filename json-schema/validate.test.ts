import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isMultipleOf } from "./numbers.ts";
import { parseSchema } from "./parse-schema.ts";
import { anySchema, anyValue } from "./fixtures/random-schemas.ts";
import type { Schema } from "./schema.ts";
import type { ErrorInWords } from "./sentences.ts";
import { validate } from "./validate.ts";
import { validateWith } from "./validate-with.ts";
import type { ValidateOptions } from "./validate.ts";

function read(raw: unknown): Schema {
  const parsed = parseSchema(raw);
  assert.ok(parsed.ok);
  return parsed.schema;
}

function errors(raw: unknown, value: unknown, options: ValidateOptions = {}): readonly ErrorInWords[] {
  const verdict = validate(read(raw), value, options);
  return verdict.status === "invalid" ? verdict.errors : [];
}

/** Returns "path message" for each error. */
function said(raw: unknown, value: unknown, options: ValidateOptions = {}): string[] {
  return errors(raw, value, options).map(({ path, message }) => `${path} ${message}`);
}

test("errors say where, what and why, in plain words", () => {
  const schema = {
    type: "object",
    required: ["amount", "tags"],
    properties: {
      amount: { type: "number", minimum: 1, multipleOf: 0.01 },
      note: { type: "string", maxLength: 10 },
      tags: { type: "array", items: { enum: ["x", "y"] }, uniqueItems: true, maxItems: 2 },
    },
    additionalProperties: false,
  };
  assert.deepEqual(errors(schema, { note: "0123456789abcd", tags: ["x", "z", "x"], "a/b": 1 }), [
    {
      path: "",
      keyword: "required",
      message: 'Is missing the required property "amount".',
      schema_path: "/required",
    },
    {
      path: "/note",
      keyword: "maxLength",
      message: "Must be at most 10 characters long, is 14.",
      schema_path: "/properties/note/maxLength",
    },
    {
      path: "/tags",
      keyword: "maxItems",
      message: "Must have at most 2 items, has 3.",
      schema_path: "/properties/tags/maxItems",
    },
    {
      path: "/tags/1",
      keyword: "enum",
      message: 'Must be one of "x" or "y".',
      schema_path: "/properties/tags/items/enum",
    },
    {
      path: "/tags",
      keyword: "uniqueItems",
      message: "Must not hold the same item twice: items 1 and 3 are equal.",
      schema_path: "/properties/tags/uniqueItems",
    },
    {
      path: "/a~1b",
      keyword: "additionalProperties",
      message: 'The property "a/b" is not allowed.',
      schema_path: "/additionalProperties",
    },
  ]);
  assert.deepEqual(said(schema, { amount: "5", tags: [] }), ["/amount Must be a number, is a text."]);
  assert.deepEqual(said({ type: ["string", "null"] }, 1), [" Must be null or a text, is a number."]);
  assert.deepEqual(said({ type: "integer" }, 1.5), [" Must be a whole number, is 1.5."]);
  assert.deepEqual(said({ minLength: 1 }, ""), [" Must not be empty."]);
  assert.deepEqual(said({ minProperties: 2 }, { a: 1 }), [" Must have at least 2 properties, has 1."]);
  assert.deepEqual(said({ const: "yes" }, "no"), [' Must be "yes".']);
});

/** Returns a branch of a tagged union. */
const branch = (kind: string, rest: object): object => ({
  type: "object",
  required: ["kind"],
  properties: { kind: { const: kind }, ...rest },
});

test("anyOf and oneOf tell what is wrong with the branch that was meant", () => {
  const nullable = { anyOf: [{ type: "string", maxLength: 2 }, { type: "null" }] };
  assert.deepEqual(said(nullable, "abc"), [" Must be at most 2 characters long, is 3."]);
  assert.deepEqual(said(nullable, 1), [" Must be null or a text, is a number."]);
  const tagged = {
    oneOf: [
      branch("card", { digits: { pattern: "^\\d{4}$" } }),
      branch("iban", { iban: { type: "string" }, bank: { type: "string" } }),
    ],
  };
  assert.deepEqual(said(tagged, { kind: "iban", iban: 1, bank: 2 }), [
    "/iban Must be a text, is a number.",
    "/bank Must be a text, is a number.",
  ]);
  assert.deepEqual(said({ anyOf: [{ const: "a" }, { enum: ["b", "c"] }] }, "d"), [' Must be one of "a", "b" or "c".']);
  assert.deepEqual(said({ oneOf: [{ minimum: 1 }, { minimum: 2 }, { minimum: 9 }] }, 3), [
    " Must be exactly one of the 3 allowed forms, but fits more than one (numbers 1 and 2).",
  ]);
});

test("the number of errors is capped", () => {
  const items = Array.from({ length: 500 }, () => "x");
  assert.equal(errors({ items: { type: "null" } }, items).length, 50);
  assert.equal(errors({ items: { type: "null" } }, items, { max_errors: 3 }).length, 3);
});

test("keys from Object.prototype are plain data", () => {
  const value: unknown = JSON.parse('{"__proto__":1,"constructor":"x"}');
  assert.deepEqual(said({ required: ["toString", "hasOwnProperty", "__proto__"] }, value), [
    ' Is missing the required property "toString".',
    ' Is missing the required property "hasOwnProperty".',
  ]);
  const schema: unknown = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}');
  assert.deepEqual(said(schema, value), [
    "/__proto__ Must be a text, is a number.",
    '/constructor The property "constructor" is not allowed.',
  ]);
  assert.deepEqual(
    said({ properties: { toString: { type: "string" } }, dependentRequired: { valueOf: ["x"] } }, {}),
    [],
  );
  assert.equal(validate(read({ const: {} }), JSON.parse('{"__proto__":{}}')).status, "invalid");
  assert.equal(validate(read({ const: JSON.parse('{"__proto__":{}}') }), { a: {} }).status, "invalid");
  assert.equal(validate(read({ const: JSON.parse('{"__proto__":1}') }), JSON.parse('{"__proto__":1}')).status, "valid");
});

test("multipleOf is exact in decimals, whatever the size", () => {
  for (const [value, divisor] of [
    [19.99, 0.01],
    [0.3, 0.1],
    [1e308, 1e-308],
    [4.35, 0.05],
    [1e-7, 1e-8],
    [0, 0.1],
    [-1.1, 0.11],
    [1e22, 1e21],
  ] as const)
    assert.equal(isMultipleOf(value, divisor), true, `${value} of ${divisor}`);
  for (const [value, divisor] of [
    [19.995, 0.01],
    [0.35, 0.1],
    [1e308, 3],
    [1, 0.3],
    [5e-324, 1],
    [Number.POSITIVE_INFINITY, 1],
  ] as const)
    assert.equal(isMultipleOf(value, divisor), false, `${value} of ${divisor}`);
});

test("lengths count code points, also when they are not counted one by one", () => {
  assert.deepEqual(said({ maxLength: 2, minLength: 2 }, "😀😀"), []);
  assert.deepEqual(said({ maxLength: 1 }, "😀😀"), [" Must be at most 1 character long, is 2."]);
  assert.deepEqual(said({ minLength: 3 }, "😀😀"), [" Must be at least 3 characters long, is 2."]);
  assert.deepEqual(said({ minLength: 2 }, "\ud83d\ud83d"), []);
});

test("formats are hints unless they are to be asserted", () => {
  assert.deepEqual(said({ format: "date" }, "2026-02-30"), []);
  assert.deepEqual(said({ format: "date" }, "2026-02-30", { formats: "assert" }), [
    " Must be a date that exists, written as 2026-03-31.",
  ]);
  assert.deepEqual(said({ format: "colour" }, "?", { formats: "assert" }), []);
});

const nothing = (): undefined => undefined;

test("a page with sentences of its own gets the facts", () => {
  const schema = read({ required: ["a", "b"], properties: { c: { maxItems: 2 }, d: { type: ["string", "null"] } } });
  assert.deepEqual(validateWith(nothing, schema, { a: 1, c: [1, 2, 3], d: 4 }), {
    status: "invalid",
    errors: [
      { path: "", keyword: "required", params: { missing: "b" }, schema_path: "/required" },
      { path: "/c", keyword: "maxItems", params: { limit: 2, actual: 3 }, schema_path: "/properties/c/maxItems" },
      {
        path: "/d",
        keyword: "type",
        params: { types: ["null", "string"], actual: 4 },
        schema_path: "/properties/d/type",
      },
    ],
  });
  assert.deepEqual(validateWith(nothing, schema, {}, { budget: { left: 1 } }), {
    status: "refused",
    code: "too_expensive",
  });
});

test("with a matcher that knows nothing, only what hangs on a pattern is pending", () => {
  const schema = read({ properties: { a: { pattern: "^x" }, b: { type: "string" } } });
  assert.deepEqual(validateWith(nothing, schema, { a: "x" }), {
    status: "pending",
    questions: [{ pattern: "^x", text: "x" }],
  });
  assert.equal(validateWith(nothing, schema, { a: 1, b: "x" }).status, "valid");
});

test("a schema may be used again and again, for other values too", () => {
  const schema = read({
    $defs: { n: { anyOf: [{ type: "null" }, { properties: { next: { $ref: "#/$defs/n" } } }] } },
    $ref: "#/$defs/n",
  });
  for (let i = 0; i < 3; i++) {
    assert.equal(validate(schema, { next: { next: null } }).status, "valid");
    assert.equal(validate(schema, { next: 1, other: 2 }).status, "valid");
  }
});

test("random schemas on random values: no throw, the same verdict twice, and the same after a round trip", () => {
  fc.assert(
    fc.property(anySchema(2), anyValue, (raw, value) => {
      const parsed = parseSchema(raw);
      if (!parsed.ok) {
        assert.ok(parsed.problems.length > 0);
        return;
      }
      const first = validate(parsed.schema, value, { formats: "assert" });
      assert.deepEqual(validate(parsed.schema, value, { formats: "assert" }), first);
      const again = parseSchema(JSON.parse(JSON.stringify(raw)));
      assert.ok(again.ok);
      assert.deepEqual(validate(again.schema, JSON.parse(JSON.stringify(value)), { formats: "assert" }), first);
      if (first.status === "invalid") assert.ok(first.errors.length > 0);
    }),
    { numRuns: 4_000 },
  );
});

test("not turns a verdict around, allOf of one changes nothing", () => {
  fc.assert(
    fc.property(anySchema(), anyValue, (raw, value) => {
      const inner = { ...raw, $id: "https://inner.example/" };
      const [plain, negated, wrapped] = [inner, { not: inner }, { allOf: [inner] }].map((schema) => {
        const parsed = parseSchema(schema);
        return parsed.ok ? validate(parsed.schema, value).status : "no schema";
      });
      assert.equal(wrapped, plain);
      if (plain === "valid") assert.equal(negated, "invalid");
      if (plain === "invalid") assert.equal(negated, "valid");
    }),
    { numRuns: 2_000 },
  );
});
