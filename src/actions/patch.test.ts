import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { applyPatch } from "rfc6902";
import { anyForm } from "../../form/fixtures/random-forms.ts";
import { SEED } from "../../test/support/seed.ts";
import type { JsonObject } from "../lib/json.ts";
import type { PatchStep } from "./action.ts";
import { patchBetween } from "./patch.ts";

/** Returns a copy of `value` that is changed at random places. */
function edited(value: unknown, draw: () => number): unknown {
  if (draw() < 0.15) return [null, "new", 7.5, [], { added: true }][Math.floor(draw() * 5)];
  if (Array.isArray(value)) {
    const items = value.map((item) => edited(item, draw));
    if (draw() < 0.3) items.splice(Math.floor(draw() * (items.length + 1)), 0, "inserted");
    if (draw() < 0.3) items.splice(Math.floor(draw() * items.length), 1);
    return draw() < 0.1 ? items.toReversed() : items;
  }
  if (typeof value !== "object" || value === null) return value;
  return editedObject(value as JsonObject, draw);
}

function editedObject(value: JsonObject, draw: () => number): JsonObject {
  const kept = Object.entries(value).filter(() => draw() > 0.1);
  const added: [string, unknown][] = draw() < 0.2 ? [["a/b~c", [1, { x: null }]]] : [];
  return Object.fromEntries([...kept, ...added].map(([key, member]) => [key, edited(member, draw)]));
}

void test("applying the patch to the arguments gives the edited ones, and the same value has no patch", () => {
  const random = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
  fc.assert(
    fc.property(anyForm, random, ({ value }, stream) => {
      // The service accepts no key `__proto__`, and the library that applies the patch here does not go into `constructor`.
      fc.pre(!/__proto__|constructor/.test(JSON.stringify(value)));
      const before = JSON.parse(JSON.stringify(value)) as JsonObject;
      const after = editedObject(before, () => stream.next().value as number);
      const patched = structuredClone(before);
      const results = applyPatch(patched, patchBetween(before, after));
      assert.deepEqual(results.filter(Boolean), []);
      assert.deepEqual(patched, after);
      assert.deepEqual(patchBetween(after, structuredClone(after)), []);
    }),
    { numRuns: 10_000, seed: SEED },
  );
});

const cases: [name: string, before: JsonObject, after: JsonObject, steps: PatchStep[]][] = [
  ["a changed member", { amount: 90 }, { amount: 45 }, [{ op: "replace", path: "/amount", value: 45 }]],
  [
    "a removed and an added member",
    { "a/b": 1 },
    { "c~d": 2 },
    [
      { op: "remove", path: "/a~1b" },
      { op: "add", path: "/c~0d", value: 2 },
    ],
  ],
  [
    "a row that was removed from the middle",
    { rows: [1, 2, 3] },
    { rows: [1, 3] },
    [{ op: "remove", path: "/rows/1" }],
  ],
  [
    "a row that was added at the end",
    { rows: [{ n: 1 }] },
    { rows: [{ n: 1 }, { n: 2 }] },
    [{ op: "add", path: "/rows/1", value: { n: 2 } }],
  ],
  [
    "a value inside a row",
    { rows: [{ n: 1 }, { n: 2 }] },
    { rows: [{ n: 1 }, { n: 3 }] },
    [{ op: "replace", path: "/rows/1/n", value: 3 }],
  ],
  ["another order of members", { a: 1, b: 2 }, { b: 2, a: 1 }, []],
];
for (const [name, before, after, steps] of cases)
  void test(`a patch for ${name}`, () => {
    assert.deepEqual(patchBetween(before, after), steps);
  });

void test("a hundred thousand changes are one step for each argument", () => {
  const numbers = Array.from({ length: 100_000 }, (_, i) => i);
  const members = Object.fromEntries(numbers.map((n) => [`m${n}`, n]));
  const before = { numbers, members, kept: [1] };
  const after = {
    numbers: numbers.map((n) => n + 1),
    members: Object.fromEntries(numbers.map((n) => [`m${n}`, n + 1])),
    kept: [1],
  };
  assert.deepEqual(
    patchBetween(before, after).map(({ op, path }) => [op, path]),
    [
      ["replace", "/numbers"],
      ["replace", "/members"],
    ],
  );
});
