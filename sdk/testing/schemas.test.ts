import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { parseSchema } from "../../json-schema/parse-schema.ts";
import { validate } from "../../json-schema/validate.ts";
import { ERRORS } from "../../src/errors.ts";
import { createTestHuman } from "./human.ts";
import { plausibleAnswer } from "./plausible.ts";
import { neverAnswer } from "./rules.ts";
import { verdictOf } from "./schemas.ts";

interface Group {
  readonly schema: Record<string, unknown> | boolean;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const SUITE = new URL("../../json-schema/suite/tests/", import.meta.url);

void test("a value fits here if it fits by the standard, and only then", () => {
  const wrong: string[] = [];
  let [fitting, found] = [0, 0];
  for (const draft of ["draft2020-12", "draft7"])
    for (const file of readdirSync(new URL(draft, SUITE))) {
      const path = new URL(`${draft}/${file}`, SUITE);
      // The service does not accept schemas with custom dialects.
      if (!statSync(path).isFile() || file === "vocabulary.json") continue;
      for (const { schema, tests } of JSON.parse(readFileSync(path, "utf8")) as Group[]) {
        const parsed = parseSchema(draft === "draft7" ? inDraft7(schema) : schema);
        // The service refuses the schema itself, for example because of an outside reference.
        if (!parsed.ok) continue;
        for (const { description, data, valid } of tests) {
          const { status } = verdictOf(parsed.schema, data, "annotate");
          if (status !== (valid ? "valid" : "invalid")) wrong.push(`${draft}/${file}: ${description}: ${status}`);
          if (valid) fitting++;
          else found++;
        }
      }
    }
  assert.deepEqual(wrong, []);
  assert.ok(fitting > 900 && found > 700, `${fitting} that fit, ${found} that do not`);
});

void test("patterns and formats of an answer have the verdict of the service", () => {
  for (const [schema, values] of [
    [{ type: "string", pattern: "^A-\\d+$" }, ["A-17", "A-", "17"]],
    [{ type: "string", pattern: String.raw`^(.+)-\1$` }, ["both-both", "left-right"]],
    [{ type: "string", pattern: String.raw`^(?=.*\d)\S{8,}$` }, ["passw0rds", "passwords", "p 0"]],
    [{ type: "string", format: "date" }, ["2026-02-28", "2026-02-30"]],
    [{ type: "array", uniqueItems: true, contains: { const: 1 } }, [[1, 2], [1, 1], [2]]],
    [{ oneOf: [{ type: "integer" }, { minimum: 2 }] }, [1, 2.5, 3]],
    // oxlint-disable-next-line unicorn/no-thenable -- this is the keyword's name
    [{ if: { required: ["a"] }, then: { required: ["b"] } }, [{}, { a: 1 }, { a: 1, b: 1 }]],
  ] as [object, unknown[]][]) {
    const parsed = parseSchema(schema);
    assert.ok(parsed.ok);
    for (const value of values) {
      const verdict = validate(parsed.schema, value, { formats: "assert" });
      // RE2 cannot match back-references, so a thread does.
      const { status } =
        verdict.status === "pending" ? { status: value === "both-both" ? "valid" : "invalid" } : verdict;
      assert.equal(verdictOf(parsed.schema, value, "assert").status, status, JSON.stringify([schema, value]));
    }
  }
});

/** Adds the dialect, which the suite implies by its folder. */
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

void test("refusals have the codes, statuses and sentences of the service", async () => {
  const { client, clientOptions } = createTestHuman(neverAnswer());
  const { baseUrl, token, fetch } = clientOptions;
  const { id } = await client.ask({ task: "Refund?" });
  await client.cancel(id);
  const task = { task: "x", payload: {}, payload_schema: {}, timeout_seconds: 60, idempotency_key: "k" };
  const asked = async (method: string, path: string, body?: object, sent = token) => {
    const headers = { authorization: `Bearer ${sent}`, "content-type": "application/json" };
    const response = await fetch(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return [response.status, (await response.json()) as { error_code: string; message: string }] as const;
  };
  const creating = async (more: object) => asked("POST", "/api/tasks", { ...task, ...more });
  for (const [code, answer] of Object.entries({
    MALFORMED_REQUEST: asked("POST", "/api/tasks", {}),
    UNAUTHENTICATED: asked("GET", "/api/tasks", undefined, "another"),
    NOT_FOUND: asked("GET", "/api/nothing"),
    EMBED_NOT_CONFIGURED: asked("POST", "/api/embed/tokens", {}),
    TASK_NOT_FOUND: asked("GET", "/api/tasks/tsk_none"),
    METHOD_NOT_ALLOWED: asked("PUT", "/api/tasks"),
    TASK_ALREADY_TERMINAL: asked("POST", `/api/tasks/${id}/cancel`),
    VALIDATION_FAILED: creating({ response_schema: {}, timeout_seconds: 59 }),
    RESPONSE_SCHEMA_NOT_OBJECT: creating({ response_schema: { type: "string" } }),
    VERIFIER_CONFIG_INVALID: creating({ response_schema: {}, verifier_config: {} }),
    VERIFIER_PROVIDER_UNKNOWN: creating({
      response_schema: {},
      verifier_config: { provider: "oracle", instructions: "x" },
    }),
  })) {
    const [status, { error_code, message }] = await answer;
    const expected = ERRORS[code as keyof typeof ERRORS];
    assert.deepEqual([error_code, status, message], [code, expected.status, expected.message]);
  }
});
