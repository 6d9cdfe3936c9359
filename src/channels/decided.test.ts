import assert from "node:assert/strict";
import { test } from "node:test";
import { inferSchema } from "../actions/infer-schema.ts";
import { patchBetween } from "../actions/patch.ts";
import type { JsonObject } from "../lib/json.ts";
import type { TaskWithDocuments } from "../tasks/store.ts";
import { changesBetween, decidedOf } from "./decided.ts";

/** Returns what a message says of an edit, one line for each change. */
function saidOf(before: JsonObject, after: JsonObject, args_schema = inferSchema(before)): string[] {
  const action = { name: "refund", args_schema, allowed: ["edit"], editable: null, risk: "normal", description: null };
  const decided = decidedOf(
    {
      action: JSON.stringify({ ...action, message_required: [] }),
      payload: JSON.stringify(before),
      payload_schema: JSON.stringify(args_schema),
      response: JSON.stringify({ decision: "edit", args: after, patch: patchBetween(before, after) }),
      redact_payload: false,
    } as TaskWithDocuments,
    { max: 10, time_zone: "UTC", now: new Date(0) },
  );
  assert.equal(decided?.left_out, null);
  return decided.facts.map(({ title, text }) => `${title}: ${text}`);
}

void test("a changed entry of a list is told before and after", () => {
  assert.deepEqual(saidOf({ tags: ["a", "b"] }, { tags: ["a", "c"] }), ["Tags · 2: b → c"]);
  const lines = [
    { sku: "J1", quantity: 1 },
    { sku: "S2", quantity: 2 },
  ];
  assert.deepEqual(saidOf({ lines }, { lines: [{ ...lines[0], quantity: 3 }, lines[1]] }), [
    "Lines · 1 · Quantity: 1 → 3",
  ]);
  assert.deepEqual(saidOf({ cells: [[1, 2]] }, { cells: [[1, 5]] }), ["Cells · 1 · 2: 2 → 5"]);
});

void test("an entry that was added to a list or removed from it is told", () => {
  const [jacket, shoes, hat] = ["jacket", "shoes", "hat"].map((name, i) => ({ name, quantity: i + 1 }));
  assert.deepEqual(saidOf({ lines: [jacket, shoes] }, { lines: [shoes, hat] }), [
    "Lines · 1 · Name: jacket → shoes",
    "Lines · 1 · Quantity: 1 → 2",
    "Lines · 2 · Name: shoes → hat",
    "Lines · 2 · Quantity: 2 → 3",
  ]);
  assert.deepEqual(saidOf({ lines: [jacket, shoes, hat] }, { lines: [jacket, hat] }), [
    "Lines: removed: Name: shoes, Quantity: 2",
  ]);
  assert.deepEqual(saidOf({ lines: [jacket] }, { lines: [jacket, hat], note: "x" }), [
    "Note: Empty → x",
    "Lines: added: Name: hat, Quantity: 3",
  ]);
  assert.deepEqual(saidOf({ tags: ["a"] }, { tags: [] }), ["Tags: removed: a"]);
});

void test("what is told of an entry is short", () => {
  const large = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}`, i]));
  assert.deepEqual(saidOf({ rows: [] }, { rows: [large] }), ["Rows: added: F0: 0, F1: 1, F2: 2, F3: 3, ..."]);
  const [long = ""] = saidOf({ rows: [] }, { rows: [{ a: "x".repeat(500), b: "y".repeat(500) }] });
  assert.ok(long.length <= "Rows: ".length + 203, long);
});

void test("a confidential value in a list is not told", () => {
  const items = { type: "object", properties: { key: { type: "string", writeOnly: true }, name: { type: "string" } } };
  const schema = { type: "object", properties: { list: { type: "array", items } } };
  const said = saidOf(
    { list: [{ key: "secret-1", name: "a" }] },
    {
      list: [
        { key: "secret-2", name: "b" },
        { key: "secret-3", name: "c" },
      ],
    },
    schema,
  );
  assert.deepEqual(said, ["List · 1 · Key: changed", "List · 1 · Name: a → b", "List: added: Name: c"]);
});

void test("of a list that was replaced as a whole its length is told", () => {
  const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ i, text: `row ${i} of ${count}` }));
  assert.deepEqual(saidOf({ rows: rows(1100) }, { rows: rows(1101) }), ["Rows: 1,100 entries → 1,101 entries"]);
});

void test("what is different in a version shows no value that either version hides", () => {
  const payload_schema = JSON.stringify({ type: "object", properties: { price: { type: "number" } } });
  const form_definition = JSON.stringify({ payload: { margin: { "ui:widget": "hidden" } } });
  const version = (payload: object) => ({ action: null, payload: JSON.stringify(payload), payload_schema });
  const look = { max: 5, time_zone: "UTC", now: new Date(0) };
  const changes = changesBetween(
    version({ price: 1, margin: 12 }),
    { ...version({ price: 2, margin: 15 }), form_definition },
    look,
  );
  assert.deepEqual(
    changes.facts.map(({ title, text }) => `${title}: ${text}`),
    ["Price: 1 → 2", "Margin: changed"],
  );

  const action = { name: "pay", description: null, allowed: [], editable: null, risk: "normal", message_required: [] };
  const asked = (args: object, args_schema: object) => ({
    action: JSON.stringify(action),
    payload: JSON.stringify(args),
    payload_schema: JSON.stringify(args_schema),
  });
  const secret = { type: "object", properties: { pin: { type: "string", writeOnly: true } } };
  const { facts } = changesBetween(asked({}, { type: "object" }), asked({ pin: "1234" }, secret), look);
  assert.doesNotMatch(JSON.stringify(facts), /1234/);
  assert.equal(facts.length, 1);
});
