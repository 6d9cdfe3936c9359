import assert from "node:assert/strict";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import type { Worker } from "node:worker_threads";
import { createPatternHost } from "../../json-schema/pattern-worker-host.ts";
import { parseSchema } from "../../json-schema/parse-schema.ts";
import { newTaskBody, testOnBoth } from "../../test/support/service.ts";
import { ServiceError } from "../errors.ts";
import { parseJsonBody } from "../http/body.ts";
import { knownOf } from "../lib/lazy-json.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import type { Verify } from "../verifier/verify.ts";
import { createLargeBodies, type LargeBodies, type LargeBodiesOptions } from "./large-bodies.ts";

const MB = 1024 * 1024;
const PADDING = "x".repeat(200_000);
/** The code behind a pattern that only the platform's engine can match. */
const BEFORE_X = "(?=.*x)(\\w)\\1";

function setup(t: TestContext, options: Partial<LargeBodiesOptions> = {}) {
  const threads: Worker[] = [];
  const errors: object[] = [];
  const note = (worker: Worker): void => void threads.push(worker);
  process.on("worker", note);
  t.after(() => process.off("worker", note));
  const log = { error: (error: object) => void errors.push(error) } as LargeBodiesOptions["log"];
  const bodies = createLargeBodies({ log, bodyBytes: MB, ...options });
  t.after(bodies.close);
  return { bodies, threads, errors };
}

function bodyOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Returns the code of the error. */
async function codeOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => assert.fail("it was not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ServiceError, String(error));
  return error.code;
}

const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ number: i, name: `Row ${i}` }));

test("a body means the same wherever it is parsed", async (t) => {
  const { bodies } = setup(t);
  const payload = { rows: rows(2000), "": [null, -1.5e-7, "\u{1F600}\ud800"] };
  for (const body of [
    { task: "Look", payload, payload_schema: {} },
    { tasks: [{ payload }, { payload: { small: 1 } }, 7, null] },
    { response: payload, payload: [1], text: PADDING },
    [payload],
    PADDING,
  ])
    assert.deepEqual(JSON.parse(JSON.stringify(await bodies.parse(bodyOf(body)))), JSON.parse(JSON.stringify(body)));
});

test("what is wrong with a body is said in the same words", async (t) => {
  const { bodies } = setup(t);
  const wrong = [
    `{"a": "${PADDING}"`,
    `{"a": "${PADDING}", "b": ${"[".repeat(100)}${"]".repeat(100)}}`,
    `{"a": "${PADDING}", "b": {"__proto__": 1}}`,
    `{"a": "${PADDING}", "b": 1e400}`,
  ].map((text) => Buffer.from(text));
  for (const bytes of [...wrong, Buffer.concat([Buffer.from(`{"a": "${PADDING}`), Buffer.from([0xff, 0x22, 0x7d])])]) {
    let message = "";
    assert.throws(
      () => parseJsonBody(bytes),
      (error: Error) => ((message = error.message), true),
    );
    await assert.rejects(bodies.parse(Buffer.from(bytes)), { code: "MALFORMED_REQUEST", message });
  }
});

test("a large value is checked in the thread, with the same verdict, and is not parsed here", async (t) => {
  const { bodies } = setup(t);
  const host = createPatternHost();
  t.after(host.close);
  const checking = bodies.checkedBy(host);
  const value = { rows: rows(2000), word: "aax" };
  for (const word of [{ type: "string" }, { type: "number" }, { pattern: BEFORE_X }, { pattern: `${BEFORE_X}y` }]) {
    const parsed = parseSchema({ properties: { word, rows: { maxItems: 5000 } } });
    assert.ok(parsed.ok);
    const { response } = (await bodies.parse(bodyOf({ response: value }))) as { response: object };
    const verdict = await checking.validate(parsed.schema, response, { formats: "assert" });
    assert.deepEqual(verdict, await host.validate(parsed.schema, value, { formats: "assert" }));
    assert.equal(knownOf(response)?.isParsed, false);
  }
});

test("a thread that ends fails the body that it has, and the next body gets another thread", async (t) => {
  const { bodies, threads, errors } = setup(t);
  await bodies.parse(bodyOf(PADDING));
  const pending = bodies.parse(bodyOf(rows(20_000)));
  await Promise.resolve();
  await Promise.all([threads[0]!.terminate(), codeOf(pending).then((code) => assert.equal(code, "OVERLOADED"))]);
  assert.equal(errors.length, 1);
  assert.equal(await bodies.parse(bodyOf(PADDING)), PADDING);
  assert.equal(threads.length, 2);
});

test("a body that takes too long is refused", async (t) => {
  const { bodies, errors } = setup(t, { limitMs: 1 });
  assert.equal(await codeOf(bodies.parse(bodyOf(rows(300_000)))), "OVERLOADED");
  assert.equal(errors.length, 1);
});

test("more bodies than may wait are refused at once", async (t) => {
  const { bodies } = setup(t, { waitingMax: 2 });
  const both = [bodies.parse(bodyOf("a")), bodies.parse(bodyOf("b"))];
  assert.equal(await codeOf(bodies.parse(bodyOf("c"))), "OVERLOADED");
  assert.deepEqual(await Promise.all(both), ["a", "b"]);
  assert.equal(await bodies.parse(bodyOf("c")), "c");
});

test("an idle thread ends, and what it had is sent to the next one", async (t) => {
  const { bodies, threads } = setup(t, { idleMs: 1 });
  const { response } = (await bodies.parse(bodyOf({ response: { rows: rows(2000) } }))) as { response: object };
  await once(threads[0]!, "exit");
  const parsed = parseSchema({ properties: { rows: { maxItems: 5 } } });
  assert.ok(parsed.ok);
  const host = createPatternHost();
  assert.equal((await bodies.checkedBy(host).validate(parsed.schema, response)).status, "invalid");
  assert.equal(threads.length, 2);
});

test("once it is closed, bodies are refused, those that wait as well", async (t) => {
  const { bodies } = setup(t);
  const pending: ReturnType<LargeBodies["parse"]>[] = [bodies.parse(bodyOf("a")), bodies.parse(bodyOf("b"))];
  const codes = Promise.all(pending.map(codeOf));
  await bodies.close();
  assert.deepEqual(await codes, ["OVERLOADED", "OVERLOADED"]);
  assert.equal(await codeOf(bodies.parse(bodyOf("c"))), "OVERLOADED");
});

testOnBoth("a large task and a large answer are stored, checked and shown as small ones", async (service) => {
  const payload = { customer: "Mia", rows: rows(6000) };
  const response_schema = {
    type: "object",
    properties: {
      approved: { type: "boolean" },
      rows: { type: "array", items: { type: "object" } },
      word: { type: "string", pattern: BEFORE_X },
    },
    required: ["approved"],
  };
  const form_definition = { decision: "approved" };
  const body = newTaskBody({ payload, payload_schema: { type: "object" }, response_schema, form_definition });
  assert.ok(JSON.stringify(body).length > 200_000);
  const created = await service.call<TaskRecord>("POST", "/api/tasks", { body });
  assert.equal(created.status, 201);
  assert.deepEqual(created.body.payload, payload);
  assert.equal(created.body.facts, "Mia");
  const again = await service.call("POST", "/api/tasks", { body });
  assert.equal(again.headers["idempotent-replayed"], "true");
  assert.equal(again.headers["idempotent-mismatch"], undefined);

  const address = `/api/tasks/${created.body.id}/complete`;
  const response = { approved: true, rows: rows(6000), word: "aax" };
  const wrong = { body: { response: { ...response, word: "ab" } } };
  const refused = await service.call<{ error_code: string; details: object[] }>("POST", address, wrong);
  assert.equal(refused.body.error_code, "VALIDATION_FAILED");
  assert.partialDeepStrictEqual(refused.body.details, [{ path: "/response/word", keyword: "pattern" }]);
  const completed = await service.call<TaskRecord>("POST", address, { body: { response } });
  assert.deepEqual(completed.body.response, response);
  assert.deepEqual(completed.body.decision, { label: "Yes", tone: null });
  const read = await service.call<TaskRecord>("GET", `/api/tasks/${created.body.id}`);
  assert.deepEqual(read.body, completed.body);
  const trail = await service.call<{ extra: object | null }[]>("GET", `/api/tasks/${created.body.id}/audit`);
  assert.partialDeepStrictEqual(trail.body.at(-1)!.extra, { response_keys: ["approved", "rows", "word"] });
});

/** Vendors are asked in a thread, too: only plain objects can be sent there. */
const verify: Verify = async (_config, question) => {
  const { response } = structuredClone(question);
  return { passed: Array.isArray(response["rows"]), reason: "It has rows." };
};

testOnBoth(
  "a large answer can be checked by a verifier",
  async (service) => {
    const verifier_config = { provider: "openai", instructions: "Are there rows?", max_attempts: 2 };
    const { id } = await service.create({ response_schema: { type: "object" }, verifier_config });
    const body = { response: { rows: rows(6000) } };
    const { body: task } = await service.call<TaskRecord>("POST", `/api/tasks/${id}/complete`, { body });
    assert.deepEqual([task.status, task.response], ["completed", body.response]);
  },
  { verify },
);
