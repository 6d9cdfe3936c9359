import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parseSchema } from "./parse-schema.ts";
import type { ProblemInWords } from "./problems.ts";
import { PYDANTIC_SCHEMA, ZOD_SCHEMA } from "./fixtures/samples.ts";
import type { Schema } from "./schema.ts";
import { anySchema } from "./fixtures/random-schemas.ts";
import { validate } from "./validate.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";

function problems(raw: unknown, options = {}): ProblemInWords[] {
  const parsed = parseSchema(raw, options);
  return parsed.ok ? [] : parsed.problems;
}

/** Returns "code path" for each problem. */
function codes(raw: unknown, options = {}): string[] {
  return problems(raw, options).map(({ code, path }) => `${code} ${path}`);
}

function read(raw: unknown): Schema {
  const parsed = parseSchema(raw);
  assert.ok(parsed.ok);
  return parsed.schema;
}

const deep = (depth: number): unknown => (depth === 0 ? {} : { not: deep(depth - 1) });

const wide = (count: number): unknown => ({ allOf: Array.from({ length: count }, () => true) });

const patterned = (count: number): unknown => ({ allOf: Array.from({ length: count }, () => ({ pattern: "a" })) });

const sentence = (raw: unknown): string => problems(raw)[0]?.message ?? "";

test("the dialect is 2020-12 unless $schema says draft-07", () => {
  assert.equal(read({}).draft, "2020-12");
  assert.equal(read(true).draft, "2020-12");
  assert.equal(read({ $schema: DRAFT_07 }).draft, "draft-07");
  assert.equal(read({ $schema: "https://json-schema.org/draft-07/schema" }).draft, "draft-07");
  assert.equal(read({ $schema: DRAFT_2020 }).draft, "2020-12");
  assert.equal(read({ $schema: "http://json-schema.org/draft/2020-12/schema#" }).draft, "2020-12");
});

test("every other $schema is refused", () => {
  for (const $schema of ["http://json-schema.org/draft-04/schema#", "http://json-schema.org/schema#", "x", ""])
    assert.deepEqual(codes({ $schema }), ["unknown_dialect /$schema"]);
});

test("each limit has its code, and what is within it passes", () => {
  assert.deepEqual(codes({ title: "x".repeat(262_144) }), ["schema_too_large "]);
  assert.deepEqual(codes({ title: "x".repeat(262_144 - 12) }), []);
  assert.deepEqual(codes({ title: "x".repeat(100) }, { limits: { characters: 100 } }), ["schema_too_large "]);

  assert.deepEqual(codes(deep(64)), ["schema_too_deep "]);
  assert.deepEqual(codes(deep(63)), []);
  assert.deepEqual(codes({ default: [[[[]]]] }, { limits: { depth: 4 } }), ["schema_too_deep "]);

  assert.deepEqual(codes(wide(5_000)), ["schema_too_many_nodes "]);
  assert.deepEqual(codes(wide(4_999)), []);

  assert.deepEqual(codes(patterned(501)), ["schema_too_many_patterns /allOf/500/pattern"]);
  assert.deepEqual(codes(patterned(500)), []);

  assert.deepEqual(codes({ pattern: "a".repeat(2_049) }), ["pattern_too_long /pattern"]);
  assert.deepEqual(codes({ patternProperties: { ["a".repeat(2_048)]: true } }), []);
});

test("a reference out of the document is refused, the meta-schemas and given documents are known", () => {
  assert.deepEqual(codes({ $ref: "https://example.com/x" }), ["ref_remote /$ref"]);
  assert.deepEqual(codes({ properties: { a: { $ref: "other.json#/x" } } }), ["ref_remote /properties/a/$ref"]);
  assert.deepEqual(codes({ $ref: DRAFT_2020 }), []);
  assert.deepEqual(codes({ $schema: DRAFT_07, $ref: DRAFT_07 }), []);
  assert.deepEqual(codes({ $ref: "https://example.com/x" }, { documents: { "https://example.com/x": true } }), []);
  assert.deepEqual(codes({ $ref: "https://example.com/x" }, { documents: { __proto__: null } }), ["ref_remote /$ref"]);
});

test("a reference that leads nowhere is a problem at its place", () => {
  for (const $ref of [
    "#/$defs/a",
    "#a",
    "#/__proto__",
    "#/constructor",
    "#/toString",
    "#/type",
    "#/%",
    "#/enum/9",
    "http://[",
  ])
    assert.deepEqual(codes({ type: "string", enum: [1], $ref }), ["ref_unresolved /$ref"], $ref);
  assert.deepEqual(codes({ $defs: { __proto__: null }, $ref: "#/$defs/__proto__" }), ["ref_unresolved /$ref"]);
  assert.deepEqual(codes(JSON.parse('{"$defs":{"__proto__":{"type":"string"}},"$ref":"#/$defs/__proto__"}')), []);
});

test("a loop that never goes deeper is refused, one that does is not", () => {
  assert.deepEqual(codes({ $ref: "#" }), ["ref_loop /$ref"]);
  assert.deepEqual(codes({ $defs: { a: { $ref: "#/$defs/b" }, b: { not: { $ref: "#/$defs/a" } } } }).length, 1);
  assert.deepEqual(codes({ properties: { a: { $ref: "#" } } }), []);
  assert.deepEqual(codes({ items: { anyOf: [{ $ref: "#" }, { type: "null" }] } }), []);
});

test("a pattern that is no regular expression is a problem at its place", () => {
  assert.deepEqual(codes({ properties: { a: { pattern: "(" } } }), ["invalid_pattern /properties/a/pattern"]);
  assert.deepEqual(codes({ patternProperties: { "[": true } }), ["invalid_pattern /patternProperties/["]);
  assert.match(problems({ pattern: "a**" })[0]?.message ?? "", /Nothing to repeat/);
});

test("what is wrong is said in a sentence that helps", () => {
  assert.equal(
    sentence({ type: "int" }),
    '"int" is no type. Use one of null, boolean, integer, number, string, array, object.',
  );
  assert.match(sentence({ required: true }), /list of property names on the object that holds the property/);
  assert.match(sentence({ exclusiveMinimum: true }), /draft-04/);
  assert.match(sentence({ items: [{}] }), /prefixItems/);
  assert.match(sentence({ $ref: "https://example.com/" }), /\$defs/);
  assert.deepEqual(codes({ properties: { "a/b~c": { minLength: -1 } } }), [
    "invalid_keyword /properties/a~1b~0c/minLength",
  ]);
});

test("at most 50 problems are told", () => {
  assert.equal(problems({ allOf: Array.from({ length: 200 }, () => ({ type: 1 })) }).length, 50);
});

test("two parts with one $id are a problem", () => {
  assert.deepEqual(codes({ $defs: { a: { $id: "urn:x:a" }, b: { $id: "urn:x:a" } } }), ["duplicate_id /$defs/b/$id"]);
});

test("names from Object.prototype are keywords to nobody", () => {
  const raw: unknown = JSON.parse(
    '{"constructor":1,"toString":[],"__proto__":{"type":"string"},"hasOwnProperty":null}',
  );
  assert.deepEqual(codes(raw), []);
  assert.equal(validate(read(raw), 1).status, "valid");
});

test("schemas as zod and pydantic write them are accepted", () => {
  for (const { schema, value } of [ZOD_SCHEMA, PYDANTIC_SCHEMA])
    assert.deepEqual(validate(read(schema), value, { formats: "assert" }), { status: "valid" });
});

test("the shape of keywords is what the meta-schemas demand, no more and no less", () => {
  for (const $schema of [DRAFT_07, DRAFT_2020]) {
    const meta = read({ $schema, $ref: $schema });
    fc.assert(
      fc.property(anySchema(10), (schema) => {
        const raw = { ...schema, $schema };
        // draft-07 ignores all siblings of a `$ref`, so the parser does not read them. Its meta-schema checks them.
        if ($schema === DRAFT_07 && JSON.stringify(raw).includes('"$ref"')) return;
        const shapes = codes(raw).filter((code) => code.startsWith("invalid_keyword"));
        const verdict = validate(meta, raw);
        assert.equal(verdict.status, shapes.length === 0 ? "valid" : "invalid", JSON.stringify([shapes, verdict]));
      }),
      { numRuns: 1_500 },
    );
  }
});
