import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonObject } from "./json.ts";
import { jsonTextOf, keysOf, knownOf, lazyObject, wholeOf } from "./lazy-json.ts";

const VALUE = { b: 1, a: { c: [1, 2] }, none: null };

function lazy() {
  return lazyObject({ text: JSON.stringify(VALUE), keys: Object.keys(VALUE), facts: "1" });
}

test("a lazy object reads as the object that its JSON describes", () => {
  assert.equal(isJsonObject(lazy()), true);
  assert.deepEqual({ ...lazy() }, VALUE);
  assert.deepEqual(Object.entries(lazy()), Object.entries(VALUE));
  assert.equal(JSON.stringify({ inside: lazy() }), JSON.stringify({ inside: VALUE }));
  assert.equal(Object.hasOwn(lazy(), "none"), true);
  assert.equal("missing" in lazy(), false);
  assert.equal(lazy()["toString"], Object.prototype.toString);
  const keys: string[] = [];
  for (const key in lazy()) keys.push(key);
  assert.deepEqual(keys, Object.keys(VALUE));
  assert.deepEqual(structuredClone(wholeOf(lazy())), VALUE);
});

test("its text, its keys and what else is known are there without parsing", () => {
  const one = lazy();
  assert.equal(jsonTextOf(one), JSON.stringify(VALUE));
  assert.deepEqual(keysOf(one), ["b", "a", "none"]);
  assert.deepEqual([knownOf(one)?.facts, knownOf(one)?.isParsed], ["1", false]);
  assert.equal(one["b"], 1);
  assert.equal(knownOf(one)?.isParsed, true);
});

test("other objects have no text: they are written", () => {
  assert.equal(jsonTextOf(VALUE), JSON.stringify(VALUE));
  assert.deepEqual(keysOf(VALUE), ["b", "a", "none"]);
  assert.equal(wholeOf(VALUE), VALUE);
  assert.equal(knownOf(VALUE), undefined);
});

test("it cannot be changed, since its text would stay as it was", () => {
  const one = lazy();
  assert.throws(() => (one["b"] = 2), TypeError);
  assert.throws(() => delete one["b"], TypeError);
  assert.throws(() => Object.freeze(one), TypeError);
  assert.deepEqual({ ...one }, VALUE);
});
