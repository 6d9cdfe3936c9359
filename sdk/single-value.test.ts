import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as fc from "fast-check";
import { tryForm } from "../form/fixtures/try-form.ts";
import { parseSchema } from "../json-schema/parse-schema.ts";
import { anySchema, anyValue } from "../json-schema/fixtures/random-schemas.ts";
import { takesObjects } from "../json-schema/takes-objects.ts";
import { validate } from "../json-schema/validate.ts";
import type { JsonObject } from "./json.ts";
import { isForValue, isWrapped, toResponse, unwrapResponse, wrapSchema } from "./single-value.ts";

const VECTORS = JSON.parse(readFileSync(new URL("single-value.vectors.json", import.meta.url), "utf8")) as {
  name: string;
  schema: JsonObject;
  response_schema: JsonObject;
}[];

for (const { name, schema, response_schema } of VECTORS)
  void test(`the schema of a task, as another language makes it: ${name}`, () => {
    const made = wrapSchema(schema);
    assert.deepEqual(made, response_schema);
    assert.equal(isWrapped(made), made !== schema);
    const parsed = parseSchema(made);
    assert.ok(parsed.ok && takesObjects(parsed.schema), "the service accepts it");
  });

void test("a schema that the service accepts is never wrapped", () => {
  const draft = fc.constantFrom<object>({}, { $schema: "http://json-schema.org/draft-07/schema#" });
  let wrapped = 0;
  fc.assert(
    fc.property(anySchema(), draft, (random, draft) => {
      const schema = { ...random, ...draft };
      const parsed = parseSchema(schema);
      if (!parsed.ok || !isForValue(schema)) return;
      wrapped++;
      assert.equal(takesObjects(parsed.schema), false);
    }),
    { numRuns: 5000 },
  );
  assert.ok(wrapped > 500, `${wrapped} of them were wrapped`);
});

void test("what fits a schema fits, as a response, the one that is made of it, and nothing else does", () => {
  const draft = fc.constantFrom<object>({}, { $schema: "http://json-schema.org/draft-07/schema#" });
  const values = fc.array(anyValue, { minLength: 1, maxLength: 6 });
  // Most random schemas accept objects, so these also have a type, or are a reference.
  const kind = fc.constantFrom<object>(
    { type: "string" },
    { type: "array" },
    { type: ["integer", "boolean", "null"] },
    { $ref: "#/$defs/kind", $defs: { kind: { type: "array", items: { $ref: "#" } } } },
    { $ref: "#/definitions/kind", definitions: { kind: { type: ["string", "array"], contains: { $ref: "#" } } } },
  );
  const counts = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(anySchema(), kind, draft, values, (random, kind, draft, values) => {
      const schema: JsonObject = { ...random, ...kind, ...draft };
      // In draft-07, ids beside a reference do not count, so the service refuses references that then lead elsewhere.
      const isOdd = "$schema" in schema && /"\$id":|ef":"#("|\/(?!definitions|\$defs))/.test(JSON.stringify(schema));
      if (isOdd && "$ref" in schema) return;
      const before = parseSchema(schema);
      if (!before.ok || !isForValue(schema)) return;
      const after = parseSchema(wrapSchema(schema));
      assert.ok(after.ok, after.ok ? "" : JSON.stringify(after.problems));
      for (const value of values) {
        const { status } = validate(before.schema, value);
        const response = { value };
        // An entered response is never an object, so it is wrapped as well.
        assert.equal(validate(after.schema, response).status, status, JSON.stringify(value));
        if (status !== "valid") counts.invalid++;
        else {
          counts.valid++;
          assert.deepEqual(toResponse(value), response);
          assert.equal(unwrapResponse(response, schema), value);
        }
      }
    }),
    { numRuns: 5000 },
  );
  assert.ok(counts.valid > 500 && counts.invalid > 500, JSON.stringify(counts));
});

void test("a response to another question is left as it is", () => {
  assert.deepEqual(unwrapResponse({ approved: true }, { type: "boolean" }), { approved: true });
  assert.deepEqual(unwrapResponse({ value: true }, { type: "object" }), { value: true });
});

void test("a schema that is made to hurt is left as it is, soon", () => {
  const defs: JsonObject = { d60: { type: "string" } };
  for (let i = 0; i < 60; i++)
    defs[`d${i}`] = { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] };
  const doubling = { $ref: "#/$defs/d0", $defs: defs };
  assert.equal(wrapSchema(doubling), doubling);
  for (const schema of [
    { $ref: "#" },
    { allOf: [{ $ref: "#" }] },
    { $ref: "#/a/b/c" },
    { $ref: 5 },
    { $ref: "#/type/0", type: "object" },
  ])
    assert.equal(wrapSchema(schema), schema);
});

void test("a person sees one field, with a label that says something", () => {
  const field = (schema: JsonObject) => {
    const { plan, names, at } = tryForm(wrapSchema(schema));
    const name = names.find((name) => name !== "");
    const { kind, title, description } = at(name!);
    return { decision: plan.decision, kind, title, description };
  };
  const bare = { decision: null, title: "Answer", description: null };
  assert.deepEqual(field({ type: "boolean" }), { ...bare, decision: "/value", kind: "bool" });
  assert.deepEqual(field({ type: "string" }), { ...bare, kind: "text" });
  assert.deepEqual(field({ type: "number" }), { ...bare, kind: "number" });
  assert.deepEqual(field({ type: "array", items: { type: "string" } }), { ...bare, kind: "list" });
  assert.deepEqual(field({ enum: ["a", "b"], title: "Which one?", description: "The other one is thrown away." }), {
    decision: "/value",
    kind: "choice",
    title: "Which one?",
    description: "The other one is thrown away.",
  });
  const definitions = { Status: { title: "Status", enum: ["open", "done"] } };
  const status = { decision: "/value", kind: "choice", title: "Status", description: null };
  assert.deepEqual(field({ $ref: "#/$defs/Status", $defs: definitions }), status);
  const $schema = "http://json-schema.org/draft-07/schema#";
  assert.deepEqual(field({ $schema, $ref: "#/definitions/Status", definitions }), status);
});
