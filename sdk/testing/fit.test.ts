import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { parseSchema } from "../../json-schema/parse-schema.ts";
import { validate } from "../../json-schema/validate.ts";
import { ERRORS } from "../../src/errors.ts";
import { misfitsOf } from "./fit.ts";
import { plausibleAnswer } from "./plausible.ts";
import { REFUSALS } from "./refusal.ts";

interface Group {
  readonly schema: Record<string, unknown> | boolean;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const SUITE = new URL("../../json-schema/suite/tests/", import.meta.url);

void test("nothing is refused here that the service takes", () => {
  const refused: string[] = [];
  let found = 0;
  for (const draft of ["draft2020-12", "draft7"])
    for (const file of readdirSync(new URL(draft, SUITE))) {
      const path = new URL(`${draft}/${file}`, SUITE);
      // Dialects of their own are no schemas to the service.
      if (!statSync(path).isFile() || file === "vocabulary.json") continue;
      for (const { schema, tests } of JSON.parse(readFileSync(path, "utf8")) as Group[])
        for (const { description, data, valid } of tests) {
          const problems = misfitsOf(draft === "draft7" ? inDraft7(schema) : schema, data, "");
          if (valid && problems.length > 0)
            refused.push(`${draft}/${file}: ${description}: ${JSON.stringify(problems)}`);
          if (!valid && problems.length > 0) found++;
        }
    }
  assert.deepEqual(refused, []);
  assert.ok(found > 400, `${found} that do not fit were found`);
});

/** The suite leaves the dialect to the folder. */
function inDraft7(schema: Group["schema"]): Group["schema"] {
  return typeof schema === "object" ? { $schema: "http://json-schema.org/draft-07/schema#", ...schema } : schema;
}

const ANSWERS: [schema: Record<string, unknown>, answer: object | undefined][] = [
  [
    { approved: { type: "boolean" }, note: { type: "string" } },
    { approved: true, note: "ok" },
  ],
  [{ decision: { enum: ["reject", "approve", "later"] } }, { decision: "approve" }],
  [{ color: { enum: ["red", "green"] } }, { color: "red" }],
  [{ kind: { const: "refund" }, none: { type: "null" } }, undefined],
  [
    { kind: { const: "refund" }, maybe: { type: ["null", "integer"], minimum: 3 } },
    { kind: "refund", maybe: 3 },
  ],
  [{ amount: { type: "number", exclusiveMinimum: 0 } }, { amount: 1 }],
  [{ amount: { type: "number", exclusiveMaximum: -4 } }, { amount: -5 }],
  [{ amount: { type: "integer", minimum: 7, multipleOf: 5 } }, { amount: 10 }],
  [{ amount: { type: "number", minimum: 0.2, maximum: 0.4 } }, undefined],
  [
    { code: { type: "string", minLength: 4, maxLength: 4 }, letter: { type: "string", maxLength: 1 } },
    { code: "ok..", letter: "o" },
  ],
  [{ code: { type: "string", pattern: "^A-" } }, undefined],
  [
    { mail: { type: "string", format: "email" }, at: { type: "string", format: "date-time" } },
    { mail: "person@example.com", at: "2026-01-31T12:00:00Z" },
  ],
  [
    { lines: { type: "array", minItems: 2, items: { enum: ["a"] } }, none: { type: "array" } },
    { lines: ["a", "a"], none: [] },
  ],
  [
    {
      either: { anyOf: [{ type: "null" }, { type: "boolean" }] },
      one: { oneOf: [{ type: "string" }, { type: "number" }] },
    },
    { either: true, one: "ok" },
  ],
  [
    { who: { type: "object", properties: { id: { type: "integer" }, name: {} }, required: ["id"] } },
    { who: { id: 0 } },
  ],
];

void test("approve() makes up what says yes and fits, by the service's own rules, or says that it cannot", () => {
  for (const [properties, answer] of ANSWERS) {
    const schema = { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
    const made = plausibleAnswer(schema);
    assert.deepEqual(made, answer);
    if (made === undefined) continue;
    const parsed = parseSchema(schema);
    assert.ok(parsed.ok);
    assert.equal(validate(parsed.schema, made, { formats: "assert" }).status, "valid", JSON.stringify(made));
  }
  const optional = { type: "object", properties: { approved: { type: "boolean" }, note: { type: "string" } } };
  assert.deepEqual(plausibleAnswer(optional), { approved: true });
  const shared = {
    type: "object",
    properties: { a: { $ref: "#/$defs/yes" } },
    required: ["a"],
    $defs: { yes: { const: 1 } },
  };
  assert.deepEqual(plausibleAnswer(shared), { a: 1 });
  assert.equal(plausibleAnswer({ type: "object", properties: { a: { $ref: "#" } }, required: ["a"] }), undefined);
});

void test("refusals have the codes, statuses and sentences of the service", () => {
  for (const [code, { status, message }] of Object.entries(REFUSALS))
    assert.deepEqual(
      [status, message],
      [ERRORS[code as keyof typeof ERRORS].status, ERRORS[code as keyof typeof ERRORS].message],
    );
});
