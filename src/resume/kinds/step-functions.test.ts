import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { attemptOnce, OUTCOME, probeOnce } from "../../../test/support/engines/attempt.ts";
import type { Turn } from "../../../test/support/engines/engine.ts";
import { attemptUntilSettled } from "../../../test/support/engines/until-settled.ts";
import { startStepFunctions } from "../../../test/support/engines/step-functions.ts";
import { NotAnswered, type Connection, type Fields, type Outcome } from "../kind.ts";
import { stepFunctions } from "./step-functions.ts";

const ended = (status: Outcome["status"]): Outcome => ({ ...OUTCOME, status, response: null });
const error = (type: string, status = 400): Turn => ({ status, body: { __type: type, message: "" } });

void test("a state goes on once, with the outcome or with the response only", async (t) => {
  const engine = await startStepFunctions(t);
  const whole = await engine.wait();
  const resumed = await attemptOnce(t, stepFunctions, engine, whole);
  assert.deepEqual([resumed.meaning, resumed.message], ["done", "AWS Step Functions took the answer."]);
  assert.deepEqual(whole.received, [OUTCOME]);

  const part = await engine.wait();
  await attemptOnce(t, stepFunctions, engine, part, { value: '{"approved":true,"name":"Zoë 😀"}' });
  assert.deepEqual(part.received, [{ approved: true, name: "Zoë 😀" }]);
});

void test("a rejection is an answer as well", async (t) => {
  const engine = await startStepFunctions(t);
  const state = await engine.wait();
  const outcome: Outcome = { ...OUTCOME, response: { decision: "reject", message: "No." } };
  await attemptOnce(t, stepFunctions, engine, state, { outcome });
  assert.deepEqual(state.received, [outcome]);
});

void test("without an answer the state fails, with an error that it can catch by its name", async (t) => {
  const engine = await startStepFunctions(t);
  for (const [status, name] of [
    ["timed_out", "HumanTask.TimedOut"],
    ["cancelled", "HumanTask.Cancelled"],
    ["verification_exhausted", "HumanTask.VerificationExhausted"],
  ] as const) {
    const state = await engine.wait();
    const resumed = await attemptOnce(t, stepFunctions, engine, state, { outcome: ended(status), value: "null" });
    assert.equal(resumed.message, `AWS Step Functions took the failure ${name}.`);
    const [{ Error, Cause }] = state.received as [{ Error: string; Cause: string }];
    assert.equal(Error, name);
    const { task_id, status: told } = JSON.parse(Cause) as Fields;
    assert.deepEqual([task_id, told], [OUTCOME.task_id, status]);
  }
});

void test("an answer that is too large for a state makes it fail at once, and an answer of the largest size does not", async (t) => {
  const engine = await startStepFunctions(t);
  const sized = async (bytes: number) => {
    const state = await engine.wait();
    // Each character has two bytes, and the quotes one.
    await attemptOnce(t, stepFunctions, engine, state, { value: JSON.stringify("ë".repeat((bytes - 2) / 2)) });
    return state.received[0];
  };
  assert.equal(typeof (await sized(262_144)), "string");
  assert.equal(((await sized(262_146)) as Fields)["Error"], "HumanTask.OutputTooLarge");
});

void test("each error means what the page says", async (t) => {
  const engine = await startStepFunctions(t);
  const cases: [Turn, string, string | null][] = [
    [error("TaskTimedOut"), "gone", "resumed before, or its time is over"],
    [error("TaskDoesNotExist"), "gone", "nothing waits"],
    [error("InvalidToken"), "gone", "not a task token"],
    [error("InvalidOutput"), "gone", null],
    [error("ValidationException"), "gone", null],
    [error("RequestEntityTooLargeException", 413), "gone", null],
    [error("AccessDeniedException"), "refused", "states:SendTaskSuccess"],
    [error("com.amazon.coral.service#AccessDeniedException"), "refused", "states:SendTaskSuccess"],
    [error("AccessDeniedException:http://internal.amazon.com/", 403), "refused", null],
    [error("UnrecognizedClientException"), "refused", "the keys"],
    [error("InvalidSignatureException"), "refused", "clock"],
    [error("RequestExpired"), "refused", "clock"],
    [error("ExpiredTokenException", 403), "refused", "have expired"],
    [error("ThrottlingException"), "later", "too many requests"],
    [error("KmsThrottlingException"), "later", null],
    [error("KmsAccessDeniedException"), "later", "KMS"],
    [error("KmsInvalidStateException"), "later", "KMS"],
    [error("InternalFailure", 500), "later", "InternalFailure"],
    [error("ServiceUnavailable", 503), "later", null],
    [error("SomethingNew"), "later", "SomethingNew"],
    [{ status: 400, headers: { "x-amzn-ErrorType": "TaskTimedOut:" }, body: {} }, "gone", "its time is over"],
    [{ status: 400, body: {} }, "later", "without an error of AWS"],
    [{ status: 404, body: "Not Found" }, "later", "without an error of AWS"],
    [{ status: 403 }, "refused", null],
  ];
  for (const [turn, meaning, message] of cases) {
    const state = await engine.wait();
    engine.script.push(turn);
    const resumed = await attemptOnce(t, stepFunctions, engine, state);
    assert.equal(resumed.meaning, meaning, JSON.stringify(turn));
    if (message !== null) assert.ok(resumed.message.includes(message), resumed.message);
    assert.deepEqual(state.received, []);
  }
});

void test("after an attempt that was cut off, a token that was used is done already, but one that is none is gone", async (t) => {
  const engine = await startStepFunctions(t);
  const state = await engine.wait();
  await attemptOnce(t, stepFunctions, engine, state);
  assert.equal((await attemptOnce(t, stepFunctions, engine, state)).meaning, "gone");
  assert.equal((await attemptOnce(t, stepFunctions, engine, state, { wasCutOff: true })).meaning, "done_already");
  const none = { entry: { task_token: "none" } };
  assert.equal((await attemptOnce(t, stepFunctions, engine, none, { wasCutOff: true })).meaning, "gone");
});

void test("keys that are wrong, expired or not permitted are refused, and the state still waits", async (t) => {
  const engine = await startStepFunctions(t);
  const state = await engine.wait();
  const { address, secret } = engine.connection;
  const meaning = async (connection: Connection = engine.connection) =>
    (await attemptOnce(t, stepFunctions, { connection }, state)).meaning;

  assert.equal(await meaning({ address, secret: secret.replace("AKIA", "AKIB") }), "refused");
  assert.equal(await meaning({ address, secret: `${secret}x` }), "refused");
  assert.equal(await meaning({ address: { ...address, region: "us-east-1" }, secret }), "refused");
  assert.equal(await meaning({ address, secret: `${secret} session-token` }), "refused");
  engine.settings.aheadMs = 16 * 60_000;
  assert.equal(await meaning(), "refused");
  engine.settings.aheadMs = 14 * 60_000;
  engine.settings.actions = [];
  assert.equal(await meaning(), "refused");
  engine.settings.actions = ["SendTaskSuccess"];
  engine.settings.isExpired = true;
  assert.equal(await meaning(), "refused");
  engine.settings.isExpired = false;
  assert.deepEqual(state.received, []);

  engine.settings.sessionToken = "FwoGZXIvYXdzEBYaD/+==";
  assert.equal(await meaning(), "refused");
  assert.equal(await meaning({ address, secret: `${secret}\n${engine.settings.sessionToken}` }), "done");
});

void test("a url that is none is an attempt without an answer, as with other kinds", async (t) => {
  const engine = await startStepFunctions(t);
  const { address, secret } = engine.connection;
  const connection = { address: { ...address, url: "none" }, secret };
  const attempt = attemptOnce(t, stepFunctions, { connection }, await engine.wait());
  await assert.rejects(attempt, (error) => error instanceof NotAnswered && error.error === "bad_url");
});

void test("answers that quote secrets are not kept", async (t) => {
  const engine = await startStepFunctions(t);
  const { address, secret } = engine.connection;
  const token = "AAAA".padEnd(2049, "x");
  const long = await attemptOnce(t, stepFunctions, engine, { entry: { task_token: token } });
  assert.equal(long.answer!.body, '{"__type":"ValidationException"}');
  const signed = await attemptOnce(
    t,
    stepFunctions,
    { connection: { address, secret: `${secret}x session-token` } },
    await engine.wait(),
  );
  assert.equal(signed.meaning, "refused");
  assert.ok(!JSON.stringify(signed).includes("session-token"));
});

void test("a probe says what is wrong, and resumes nothing", async (t) => {
  const engine = await startStepFunctions(t);
  const { address, secret } = engine.connection;
  assert.deepEqual(await probeOnce(t, stepFunctions, { address, secret }), {
    ok: true,
    detail: "AWS Step Functions accepts the keys in eu-central-1.",
  });
  const detail = async (connection: Connection = { address, secret }) => {
    const { ok, detail: said } = await probeOnce(t, stepFunctions, connection);
    assert.equal(ok, false);
    return said;
  };
  assert.match(await detail({ address, secret: `${secret}x` }), /InvalidSignatureException/);
  assert.match(
    await detail({ address: { ...address, url: `${String(address["url"])}/path` }, secret }),
    /UnknownOperation/,
  );
  engine.settings.actions = ["SendTaskSuccess"];
  assert.match(await detail(), /must be permitted states:SendTaskSuccess and states:SendTaskFailure/);
  engine.settings.isExpired = true;
  assert.match(await detail(), /have expired/);
});

void test("a region leads to its public endpoint, and is a region", () => {
  const { defaultUrl, address } = stepFunctions.connection!;
  assert.equal(defaultUrl!({ region: "us-gov-east-1" }), "https://states.us-gov-east-1.amazonaws.com");
  assert.equal(defaultUrl!({ region: "cn-north-1" }), "https://states.cn-north-1.amazonaws.com.cn");
  const { pattern } = address.properties["region"] as unknown as { pattern: string };
  for (const region of ["eu-central-1", "us-gov-east-1", "ap-southeast-10", "us-iso-east-1"])
    assert.match(region, new RegExp(pattern));
  for (const none of [
    "",
    "eu",
    "x.attacker.example/",
    "eu-central-1.attacker.example",
    "EU-CENTRAL-1",
    "eu-central-1\n",
  ])
    assert.doesNotMatch(none, new RegExp(pattern));
});

void test("a secret is two keys, or three", () => {
  const check = stepFunctions.connection!.checkSecret!;
  for (const fine of ["AKIAIOSFODNN7EXAMPLE wJalr/+=", " ASIAIOSFODNN7EXAMPLE\nwJalr\nsession\n"])
    assert.equal(check(fine), null);
  for (const bad of ["", "AKIAIOSFODNN7EXAMPLE", "a b c d", "wJalr AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE:wJalr"])
    assert.notEqual(check(bad), null, bad);
});

void test("a delivery that is repeated after crashes and errors resumes once", async (t) => {
  const engine = await startStepFunctions(t);
  const turn = fc.oneof(
    fc.constant<Turn>("lost"),
    fc.constantFrom("ThrottlingException", "AccessDeniedException", "ExpiredTokenException").map((type) => error(type)),
    fc.constantFrom(500, 502, 503).map((status): Turn => ({ status })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 6 }), fc.boolean(), async (script, isCompleted) => {
      const state = await engine.wait();
      const outcome = isCompleted ? OUTCOME : ended("timed_out");
      engine.script.push(...script);
      const last = (await attemptUntilSettled(t, stepFunctions, engine, state, { outcome })).at(-1);
      engine.script.length = 0;
      assert.equal(last, script.includes("lost") ? "done_already" : "done");
      assert.equal(state.received.length, 1);
    }),
    { numRuns: 40 },
  );
});
