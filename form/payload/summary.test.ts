import assert from "node:assert/strict";
import { test } from "node:test";
import { FIXTURE_NOW, PAYLOAD_FIXTURES } from "../fixtures/payloads.ts";
import { summarise } from "./summary.ts";
import type { Fact } from "./summary.ts";
import { planPayload } from "./payload.ts";

function factsOf(name: string, wanted: number | readonly string[]): readonly Fact[] {
  return summarise(planPayload({ ...PAYLOAD_FIXTURES[name]!, now: FIXTURE_NOW }), wanted);
}

void test("a summary has the first single values, with the group they stand in", () => {
  assert.deepEqual(factsOf("refund", 3), [
    { title: "Refund amount", text: "€1,240.00" },
    { title: "Customer · Name", text: "Johanna Lindqvist" },
    { title: "Customer · Email", text: "johanna.lindqvist@example.com" },
  ]);
});

void test("a summary has the facts that were asked for, in that order, and nothing for pointers to nothing", () => {
  assert.deepEqual(factsOf("refund", ["/delivered_at", "/gone", "/amount", "/items"]), [
    { title: "Delivered", text: "12 Nov 2026, 13:20 UTC" },
    { title: "Refund amount", text: "€1,240.00" },
  ]);
});

void test("a redacted payload has no summary", () => {
  assert.deepEqual(factsOf("redacted", 5), []);
  assert.deepEqual(factsOf("redacted", ["/amount"]), []);
});

void test("a masked value is in no summary", () => {
  assert.deepEqual(factsOf("masked", 10), [{ title: "User", text: "johanna" }]);
  assert.deepEqual(factsOf("masked", ["/password", "/card", "/card/number", "/keys/0/secret"]), []);
});

void test("a fact is one line without characters that turn or hide text", () => {
  assert.deepEqual(factsOf("unicode", ["/file", "/hidden"]), [
    { title: "File", text: "invoice-fdp.exe" },
    { title: "Hidden", text: "paypal" },
  ]);
  const [long] = factsOf("long-text", 1);
  assert.ok(long && long.text.length === 200 && long.text.endsWith("..."));
});
