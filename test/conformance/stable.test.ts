import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ERRORS } from "../../src/errors.ts";

/*
 * What the specification promises to keep over versions, written out once more. Fields and codes may be added; a test that
 * fails here means that clients break. (spec: Versioning)
 */

interface Shape {
  required?: string[];
  else?: { required: string[] };
  properties: Record<string, { type?: string | string[]; enum?: string[] }>;
}

const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")) as unknown;
const { components, info } = read("openapi.json") as {
  components: { schemas: Record<string, Shape> };
  info: { version: string };
};

/** The task record. Every field is always there. */
const TASK = {
  id: "string",
  idempotency_key: "string",
  status: "string",
  task: "string",
  payload: "object",
  payload_schema: "object",
  response_schema: "object",
  assign_to: "object,null",
  assigned_to_email: "string,null",
  response: "object,null",
  verifier_result: "object,null",
  verification_attempt: "integer",
  timeout_seconds: "integer",
  redact_payload: "boolean",
  created_at: "string",
  updated_at: "string",
  completed_at: "string,null",
  timed_out_at: "string,null",
  completed_by_email: "string,null",
  completed_via_channel: "string,null",
};

/** The body of a creation. */
const CREATE = {
  task: "string",
  payload: "object",
  payload_schema: "object",
  response_schema: "object",
  timeout_seconds: "integer",
  idempotency_key: "string",
  form_definition: "object,null",
  assign_to: "object,null",
  notify: "array,null",
  verifier_config: "object,null",
  redact_payload: "boolean,null",
  callback_url: "string,null",
};
const CREATE_REQUIRED = ["task", "payload", "payload_schema", "response_schema", "timeout_seconds", "idempotency_key"];

const STATUSES = ["created", "rejected", "completed", "timed_out", "cancelled", "verification_exhausted"];

const CODES = {
  TASK_NOT_FOUND: 404,
  TASK_ALREADY_TERMINAL: 409,
  VERIFIER_CONFIG_INVALID: 422,
  VERIFIER_PROVIDER_UNKNOWN: 422,
  VERIFIER_API_KEY_MISSING: 500,
  VERIFIER_PROVIDER_UNAVAILABLE: 500,
  VERIFIER_PROVIDER_ERROR: 502,
  INVALID_EMBED_TOKEN: 401,
  EMBED_ORIGIN_NOT_ALLOWED: 400,
  SERVICE_KEY_NOT_FOUND: 401,
};

function typesIn({ properties }: Shape, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, String(properties[name]?.type)]));
}

void test("the task record and the body of a creation keep their fields and types", () => {
  const { Task, CreateTask } = components.schemas as { Task: Shape; CreateTask: Shape };
  assert.deepEqual(typesIn(Task, Object.keys(TASK)), TASK);
  assert.deepEqual(
    Object.keys(TASK).filter((name) => !Task.required?.includes(name)),
    [],
  );
  assert.deepEqual(Task.properties["status"]?.enum, STATUSES);
  assert.deepEqual(typesIn(CreateTask, Object.keys(CREATE)), CREATE);
  const required = [...(CreateTask.required ?? []), ...(CreateTask.else?.required ?? [])];
  assert.deepEqual(required.toSorted(), CREATE_REQUIRED.toSorted(), "a new required field breaks callers");
});

void test("each error code of the specification keeps its name and status", () => {
  const catalogue: Record<string, { status: number }> = ERRORS;
  assert.deepEqual(Object.fromEntries(Object.keys(CODES).map((code) => [code, catalogue[code]?.status])), CODES);
});

void test("the version is semantic, and the package, its description and its clients share it", () => {
  assert.match(info.version, /^0\.1\.\d+$/);
  for (const file of ["package.json", "sdk/package.json", "mcp/package.json", "adapters/package.json"])
    assert.equal((read(file) as { version: string }).version, info.version, file);
});
