import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_STEPS } from "./budget.ts";
import { HOSTILE_CASES } from "./fixtures/hostile.ts";
import { parseSchema } from "./parse-schema.ts";
import { validate } from "./validate.ts";

/** Returns how a case ends, and its cost. Time is not asserted here: `node bench/schemas.ts` measures it. */
function run(schema: unknown, value: unknown): { end: string; steps: number } {
  const parsed = parseSchema(schema);
  if (!parsed.ok) return { end: parsed.problems[0]?.code ?? "", steps: 0 };
  const budget = { left: DEFAULT_STEPS };
  const verdict = validate(parsed.schema, value, { formats: "assert", budget });
  return { end: verdict.status === "refused" ? verdict.code : verdict.status, steps: DEFAULT_STEPS - budget.left };
}

for (const each of HOSTILE_CASES) {
  test(`hostile: ${each.name}: ${each.ends}`, () => {
    const schema = each.schema();
    const value = each.value();
    const first = run(schema, value);
    assert.equal(first.end, each.ends);
    assert.deepEqual(run(schema, value), first, "the second run must end alike, at the same cost");
  });
}

test("2^40 paths cost as much as 40: results are remembered", () => {
  const cases = HOSTILE_CASES.filter(({ name, ends }) => name.startsWith("2^40 paths") && ends === "valid");
  assert.equal(cases.length, 2);
  for (const each of cases) assert.ok(run(each.schema(), each.value()).steps < 5_000, each.name);
});

test("a smaller budget is kept to", () => {
  const parsed = parseSchema({ items: { type: "integer" } });
  assert.ok(parsed.ok);
  const items = Array.from({ length: 1_000 }, (_, index) => index);
  assert.equal(validate(parsed.schema, items).status, "valid");
  const verdict = validate(parsed.schema, items, { budget: { left: 1_000 } });
  assert.equal(verdict.status === "refused" ? verdict.code : "", "too_expensive");
});
