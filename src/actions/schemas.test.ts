import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../lib/json.ts";
import { embedSchema } from "./embed-schema.ts";
import { inferSchema } from "./infer-schema.ts";

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

function depthOf(schema: unknown): number {
  const { items } = schema as JsonObject;
  return items === undefined ? 0 : 1 + depthOf(items);
}

void test("the schema that is made of arguments ends at a depth, in lists as well", () => {
  const { properties } = inferSchema({ list: nested(20) }) as { properties: JsonObject };
  assert.equal(depthOf(properties["list"]), 5);
});

void test("the schema that is made of arguments ends at a number of parts, in lists as well", () => {
  const list = Array.from({ length: 2000 }, () => 1);
  assert.deepEqual(inferSchema({ list }), { type: "object", properties: { list: { type: "array" } } });
  const short = inferSchema({ list: list.slice(0, 900) });
  assert.deepEqual(short, { type: "object", properties: { list: { type: "array", items: { type: "number" } } } });
});

void test("a draft-07 schema that is only a reference keeps its id beside it, in a document of the same dialect", () => {
  const $schema = "http://json-schema.org/draft-07/schema#";
  const definitions = { mail: { type: "object" } };
  const embedded = embedSchema({ $schema, $ref: "#/definitions/mail", definitions }, $schema, "action-1");
  assert.deepEqual(embedded, { $id: "action-1", allOf: [{ $ref: "#/definitions/mail" }], definitions });
});
