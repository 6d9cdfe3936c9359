import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isObject } from "./equality.ts";
import { HOSTILE_CASES } from "./fixtures/hostile.ts";
import { parseSchema } from "./parse-schema.ts";
import { anySchema, anyValue } from "./fixtures/random-schemas.ts";
import { takesObjects } from "./takes-objects.ts";
import { validate } from "./validate.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

/** Returns null if the schema itself is refused. */
function asked(raw: unknown): boolean | null {
  const parsed = parseSchema(raw);
  return parsed.ok ? takesObjects(parsed.schema) : null;
}

const NONE: readonly unknown[] = [
  { type: "boolean" },
  { type: "string" },
  { type: "number" },
  { type: "null" },
  { type: "array", items: { type: "object" } },
  { type: ["string", "null"] },
  { enum: ["approve", "reject"] },
  { enum: [] },
  { const: true },
  { const: ["a"] },
  { not: {} },
  { not: true },
  false,
  { not: { type: "object" } },
  { not: { type: ["object", "string"] } },
  { not: { anyOf: [{ type: "string" }, { type: "object" }] } },
  { not: { not: { type: "string" } } },
  { $ref: "#/$defs/flag", $defs: { flag: { type: "boolean" } } },
  { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { type: "string" } } },
  { $ref: "#flag", $defs: { flag: { $anchor: "flag", type: "boolean" } } },
  { $dynamicRef: "#/$defs/flag", $defs: { flag: { type: "boolean" } } },
  { type: "object", $ref: "#/$defs/flag", $defs: { flag: { type: "boolean" } } },
  { allOf: [{ type: "object" }, { type: "string" }] },
  { allOf: [{}, { enum: [1, 2] }] },
  { anyOf: [{ type: "string" }, { type: "number" }] },
  { anyOf: [{ type: "string" }, { enum: [null] }, { not: { type: "object" } }] },
  { oneOf: [{ const: "a" }, { const: "b" }] },
  { oneOf: [true, {}] },
  { oneOf: [{ type: "object" }, true] },
  conditional(true, { type: "string" }, true),
  conditional({ type: "object" }, false, true),
  conditional({ type: "string" }, true, { type: "array" }),
  { type: "object", required: ["a"], properties: { a: { not: {} } } },
  { type: "object", required: ["a"], additionalProperties: false },
  { type: "object", minProperties: 2, maxProperties: 1 },
  { type: "object", required: ["a", "b"], maxProperties: 1 },
  { $schema: DRAFT_07, type: "boolean" },
  { $schema: DRAFT_07, $ref: "#/definitions/flag", definitions: { flag: { type: "boolean" } } },
  // In draft-07, siblings of a reference have no effect.
  { $schema: DRAFT_07, type: "object", $ref: "#/definitions/flag", definitions: { flag: { type: "boolean" } } },
];

const SOME: readonly unknown[] = [
  {},
  true,
  { type: "object" },
  { type: ["object", "null"] },
  { properties: { a: { type: "string" } }, required: ["a"] },
  { enum: ["a", {}] },
  { const: {} },
  { not: { type: "string" } },
  { not: { type: "object", required: ["a"] } },
  { not: { const: {} } },
  { not: { enum: [{}] } },
  { not: { properties: { a: true } } },
  { not: { unevaluatedProperties: false } },
  { minLength: 3, pattern: "^a" },
  { anyOf: [{ type: "string" }, { type: "object" }] },
  { oneOf: [{ type: "object" }, { type: "object", required: ["a"] }] },
  { oneOf: [{ type: "object" }, { type: "string" }] },
  conditional({ type: "object" }, { required: ["a"] }, false),
  conditional({ required: ["a"] }, false, true),
  { if: { type: "object" }, else: false },
  { type: "object", properties: { a: { not: {} } } },
  { type: "object", required: ["ab"], patternProperties: { "^a": true }, additionalProperties: false },
  { type: "object", required: ["a"], maxProperties: 1 },
  { type: "object", properties: { next: { $ref: "#" } } },
  { type: "object", required: ["next"], properties: { next: { anyOf: [{ type: "null" }, { $ref: "#" }] } } },
  { $schema: DRAFT_07, $ref: "#/definitions/form", type: "boolean", definitions: { form: { type: "object" } } },
];

function conditional(condition: unknown, onTrue: unknown, onFalse: unknown): Record<string, unknown> {
  // oxlint-disable-next-line unicorn/no-thenable -- this is the keyword's name
  return { if: condition, then: onTrue, else: onFalse };
}

void test("a schema that no object fits is told from one that some object fits", () => {
  for (const raw of NONE) assert.equal(asked(raw), false, JSON.stringify(raw));
  for (const raw of SOME) assert.equal(asked(raw), true, JSON.stringify(raw));
});

void test("a schema that some object fits is never said to take none", () => {
  let fitting = 0;
  const drafts = fc.constantFrom<object>({}, { $schema: DRAFT_07 });
  const object = anyValue.filter(isObject);
  fc.assert(
    fc.property(anySchema(), drafts, fc.array(object, { minLength: 1, maxLength: 5 }), (schema, draft, objects) => {
      const parsed = parseSchema({ ...schema, ...draft });
      if (!parsed.ok) return;
      const isFit = objects.some((value) => validate(parsed.schema, value).status === "valid");
      if (!isFit) return;
      fitting++;
      assert.equal(takesObjects(parsed.schema), true);
    }),
    { numRuns: 4000 },
  );
  // Without fitting schemas, the property would hold trivially.
  assert.ok(fitting > 500, `${fitting} schemas that an object fits`);
});

void test("schemas that are joined of those that take objects and those that do not are decided soundly", () => {
  const leaf = fc.constantFrom<object | boolean>(
    { type: "object" },
    { type: "string" },
    { type: ["object", "string"] },
    { const: {} },
    { enum: ["a", { a: 1 }] },
    { required: ["a"] },
    { minProperties: 1 },
    { $ref: "#/$defs/form" },
    { $ref: "#/$defs/word" },
    true,
    false,
  );
  const { schema } = fc.letrec<{ schema: object | boolean }>((tie) => {
    const list = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
    return {
      schema: fc.oneof(
        { maxDepth: 4 },
        leaf,
        list.map((allOf) => ({ allOf })),
        list.map((anyOf) => ({ anyOf })),
        list.map((oneOf) => ({ oneOf })),
        tie("schema").map((not) => ({ not })),
        fc.tuple(tie("schema"), tie("schema"), tie("schema")).map((parts) => conditional(...parts)),
        tie("schema").map((a) => ({ required: ["a"], properties: { a } })),
      ),
    };
  });
  const counts = { none: 0, some: 0 };
  const values = [{}, { a: 1 }, { a: "a" }, { a: {} }, { b: 1 }, { a: { a: 1 }, b: 1 }];
  fc.assert(
    fc.property(schema, (joined) => {
      const parsed = parseSchema({
        allOf: [joined],
        $defs: { form: { type: "object", maxProperties: 1 }, word: { type: "string" } },
      });
      assert.ok(parsed.ok);
      const isFit = values.some((value) => validate(parsed.schema, value).status === "valid");
      const takes = takesObjects(parsed.schema);
      if (isFit) assert.equal(takes, true);
      counts[takes ? "some" : "none"]++;
    }),
    { numRuns: 4000 },
  );
  assert.ok(counts.none > 300 && counts.some > 300, JSON.stringify(counts));
});

void test("a hostile schema is decided, and no object that fits it is denied", () => {
  for (const each of HOSTILE_CASES) {
    const parsed = parseSchema(each.schema());
    if (!parsed.ok) continue;
    const takes = takesObjects(parsed.schema);
    const value = each.value();
    if (isObject(value) && validate(parsed.schema, value).status === "valid") assert.equal(takes, true, each.name);
  }
});

/** Returns `$defs` d0 ... dn, each of which refers to the next one. */
function chain(length: number, join: (next: unknown) => object, last: unknown): unknown {
  const defs: Record<string, unknown> = { [`d${length}`]: last };
  for (let i = 0; i < length; i++) defs[`d${i}`] = join({ $ref: `#/$defs/d${i + 1}` });
  return { $ref: "#/$defs/d0", $defs: defs };
}

void test("each subschema is looked at once: 2^100 ways cost as much as 100", () => {
  const last = { type: "string" };
  assert.equal(asked(chain(100, (next) => ({ anyOf: [next, next] }), last)), false);
  assert.equal(asked(chain(100, (next) => ({ not: { allOf: [next, next] } }), last)), false);
});

void test("a chain of references that is too long to follow is given the benefit of the doubt", () => {
  const through = (next: unknown) => next as object;
  assert.equal(asked(chain(100, through, { type: "string" })), false);
  assert.equal(asked(chain(2000, through, { type: "string" })), true);
  assert.equal(asked(chain(2000, through, { type: "object" })), true);
});

void test("a schema that leads back to itself is decided", () => {
  const loop = (words: object) => ({ ...words, required: ["a"], properties: { a: { $ref: "#" } } });
  assert.equal(asked(loop({ type: "object" })), true);
  assert.equal(asked(loop({ type: "string" })), false);
  const named = { $dynamicAnchor: "n", required: ["a"], properties: { a: { $dynamicRef: "#n" } } };
  assert.equal(asked({ type: "object", ...named }), true);
});

void test("a reference that depends on the way to it is given the benefit of the doubt", () => {
  const base = { $id: "base", $dynamicRef: "#n", $defs: { ours: { $dynamicAnchor: "n", type: "string" } } };
  const raw = { $ref: "base", $defs: { theirs: { $dynamicAnchor: "n", type: "object" }, base } };
  const parsed = parseSchema(raw);
  assert.ok(parsed.ok);
  assert.equal(validate(parsed.schema, {}).status, "valid");
  assert.equal(takesObjects(parsed.schema), true);
});
