import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parseSchema } from "../../json-schema/parse-schema.ts";
import { TEXT_RULES } from "./text-rules.ts";
import { anySchema, anyValue } from "../../json-schema/fixtures/random-schemas.ts";
import { validate } from "../../json-schema/validate.ts";
import { checkPlan } from "./check.ts";
import { applyPress, entriesOfPost } from "./entries.ts";
import type { Entries } from "./entries.ts";
import { nodesOf } from "./nodes.ts";
import { entriesOf, planForm, readForm } from "./plan.ts";
import type { Form } from "./plan.ts";
import { anyForm } from "../fixtures/random-forms.ts";

const RUNS = Number(process.env["TEST_RUNS"] ?? 400);

function read(response_schema: unknown, form_definition?: unknown, payload?: unknown): Form {
  const now = new Date("2026-11-22T12:00:00Z");
  return readForm({ response_schema, form_definition, payload, time_zone: "UTC", now, texts: TEXT_RULES });
}

function posted(entries: Entries): Entries {
  const body = new URLSearchParams();
  for (const [name, texts] of Object.entries(entries)) for (const text of texts) body.append(name, text);
  return entriesOfPost(body.toString());
}

void test("an answer to a random form can be entered, and is accepted", () => {
  fc.assert(
    fc.property(anyForm, ({ schema, value }) => {
      const parsed = parseSchema(schema);
      assert.ok(parsed.ok);
      fc.pre(validate(parsed.schema, value, { formats: "assert" }).status === "valid");
      const form = read(schema);
      const plan = planForm(form, posted(entriesOf(planForm(form, {}, value))));
      const errors = checkPlan(form, plan);
      const verdict = validate(parsed.schema, plan.value, { formats: "assert" });
      const said = JSON.stringify({ errors, value: plan.value, verdict }, null, 1);
      assert.deepEqual(errors, [], said);
      assert.equal(verdict.status, "valid", said);
    }),
    { numRuns: RUNS },
  );
});

const anyEntries = fc
  .dictionary(
    fc.oneof(
      fc.constantFrom(
        "/a",
        "/b",
        "/a/0",
        "/a/1/b",
        "~json",
        "~form",
        "~mode",
        "/a~rows",
        "/a~open",
        "/a~form",
        "/__proto__",
      ),
      fc.string(),
    ),
    fc.array(fc.oneof(fc.constantFrom("", "0", "1", "7", "true", "json", "a", "1e999", "2026-02-30"), fc.string()), {
      maxLength: 3,
    }),
  )
  .map((entries): Entries => entries);

void test("any schema, any hints and any entries give a form", () => {
  fc.assert(
    fc.property(anySchema(5), anyEntries, anyValue, anyValue, (schema, entries, hints, payload) => {
      const form = read(schema, { ui: hints, prefill: { "/a": "/a" }, decision: "/a", ...(hints as object) }, payload);
      const plan = planForm(form, entries);
      const names = [...nodesOf(plan.root)].filter((node) => !node.hidden).map((node) => `${node.kind} ${node.name}`);
      assert.equal(new Set(names).size, names.length, "two fields of one name");
      for (const node of nodesOf(plan.root)) {
        assert.equal(typeof node.title, "string");
        if (node.kind === "list")
          planForm(form, applyPress(entries, { act: "remove", name: node.name, row: 0 }, node.rows.length));
      }
      for (const error of checkPlan(form, plan))
        assert.match(error.message, /^(?:Required|Use this format: .+|.+\.)$/s);
      const untouched = planForm(form, entriesOf(plan));
      assert.deepEqual(untouched.value, plan.value);
    }),
    { numRuns: RUNS },
  );
});

void test("no schema leaves a person without a way to answer: JSON takes every answer that fits", () => {
  fc.assert(
    fc.property(anySchema(), anyValue, (schema, value) => {
      const parsed = parseSchema(schema);
      fc.pre(parsed.ok && typeof value === "object" && value !== null && !Array.isArray(value));
      fc.pre(parsed.ok && validate(parsed.schema, value, { formats: "assert" }).status === "valid");
      const form = read(schema);
      const mode = { "~mode": ["json"] };
      // The name of the box on the page.
      const box = Object.keys(entriesOf(planForm(form, mode))).find((name) => name.endsWith("~json"));
      const plan = planForm(form, posted({ ...mode, [box!]: [JSON.stringify(value)] }));
      assert.deepEqual(checkPlan(form, plan), []);
      assert.deepEqual(plan.value, value);
    }),
    { numRuns: RUNS },
  );
});
