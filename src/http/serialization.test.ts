import assert from "node:assert/strict";
import { test } from "node:test";
import { createSerializerCompiler } from "./serialization.ts";

void test("an answer has only the fields that its schema names, also where one shape refers to another", () => {
  const compile = createSerializerCompiler([
    { $id: "Order", type: "object", properties: { buyer: { $ref: "Buyer#" } } },
    { $id: "Buyer", type: "object", properties: { name: { type: "string" } } },
    { $id: "Other", type: "object", properties: {} },
  ]);
  const schema = { type: "array" as const, items: { $ref: "Order#" } };
  const serialize = compile({ schema, method: "GET", url: "/orders", httpStatus: "200" });
  const orders = [{ buyer: { name: "Lucía", secret: "s" }, secret: "s" }];
  assert.equal(serialize(orders), '[{"buyer":{"name":"Lucía"}}]');
});
