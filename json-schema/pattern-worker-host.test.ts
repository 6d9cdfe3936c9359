import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createPatternHost } from "./pattern-worker-host.ts";
import type { SettledVerdict } from "./pattern-worker-host.ts";
import { parseSchema } from "./parse-schema.ts";
import type { Schema } from "./schema.ts";
import { validate } from "./validate.ts";

const host = createPatternHost();
after(async () => host.close());

function read(raw: unknown): Schema {
  const parsed = parseSchema(raw);
  assert.ok(parsed.ok);
  return parsed.schema;
}

function outcome(verdict: SettledVerdict): string {
  return verdict.status === "refused" ? verdict.code : verdict.status;
}

const SLOW = { pattern: "^(?:(a+)+\\1?)+$" };
const LONG = `${"a".repeat(40)}b`;

test("a back-reference is pending at first, and settled by the host", async () => {
  const schema = read({ items: { pattern: "^(a+)-\\1$" } });
  assert.deepEqual(validate(schema, ["aa-aa", 1]), {
    status: "pending",
    questions: [{ pattern: "^(a+)-\\1$", text: "aa-aa" }],
  });
  assert.equal(outcome(await host.validate(schema, ["aa-aa", "a-a"])), "valid");
  assert.equal(outcome(await host.validate(schema, ["aa-aa", "a-aa"])), "invalid");
});

test("questions that only an answer raises are asked as well", async () => {
  const schema = read({
    if: { properties: { a: { pattern: "(.)\\1" } } },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword
    then: { properties: { b: { pattern: "(.)-\\1" } } },
  });
  assert.equal(outcome(await host.validate(schema, { a: "xx", b: "y-y" })), "valid");
  assert.equal(outcome(await host.validate(schema, { a: "xx", b: "y-z" })), "invalid");
  assert.equal(outcome(await host.validate(schema, { a: "xy", b: "y-z" })), "valid");
});

test("a pattern that backtracks is a named refusal, and the next one is answered again", async () => {
  assert.equal(outcome(await host.validate(read(SLOW), LONG)), "pattern_too_slow");
  assert.equal(outcome(await host.validate(read({ pattern: "^(a+)-\\1$" }), "a-a")), "valid");
});

test("the event loop goes on while a slow pattern is matched", async () => {
  let turns = 0;
  const ticking = setInterval(() => turns++, 5);
  const end = outcome(await host.validate(read(SLOW), LONG));
  clearInterval(ticking);
  assert.equal(end, "pattern_too_slow");
  assert.ok(turns >= 3, `${turns} turns`);
});

test("more validations than may wait are refused at once", async () => {
  const small = createPatternHost({ queue: 2 });
  const schema = read(SLOW);
  const ends = await Promise.all(Array.from({ length: 6 }, async () => outcome(await small.validate(schema, LONG))));
  await small.close();
  assert.deepEqual(ends.toSorted(), [
    "pattern_busy",
    "pattern_busy",
    "pattern_busy",
    "pattern_too_slow",
    "pattern_too_slow",
    "pattern_too_slow",
  ]);
});

test("closing refuses what still waits", async () => {
  const closing = createPatternHost();
  const waiting = closing.validate(read(SLOW), LONG);
  await closing.close();
  assert.equal(outcome(await waiting), "pattern_busy");
  assert.equal(outcome(await closing.validate(read(SLOW), LONG)), "pattern_busy");
  assert.equal(outcome(await closing.validate(read({ type: "string" }), LONG)), "valid");
});

test("a text too long to be matched here is matched by the host", async () => {
  const schema = read({ pattern: "^[a-z]+$" });
  assert.equal(outcome(await host.validate(schema, "a".repeat(1 << 20))), "valid");
  assert.equal(outcome(await host.validate(schema, `${"a".repeat(1 << 20)}!`)), "invalid");
});
