import assert from "node:assert/strict";
import { test } from "node:test";
import { quoted, storable } from "./answer.ts";

void test("what a vendor says ends a sentence on one line, and not without end", () => {
  assert.equal(quoted("Bad\n  thing."), ": Bad thing.");
  assert.equal(quoted(undefined), ".");
  assert.equal(quoted("x".repeat(1_000)).length, 205);
});

void test("an answer is stored without the body of a success, and with the beginning of an error's", () => {
  const body = "x".repeat(10_000);
  assert.equal(storable({ status: 201, headers: {}, body }).body, "");
  assert.equal(storable({ status: 404, headers: {}, body }).body.length, 4_096);
});
