import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as assertProperty, asyncProperty, constantFrom } from "fast-check";
import { attemptOnce, OUTCOME, probeOnce } from "../../../test/support/engines/attempt.ts";
import { startCamunda } from "../../../test/support/engines/camunda.ts";
import { attemptUntilSettled, scripts } from "../../../test/support/engines/until-settled.ts";
import { DAY } from "../../lib/time.ts";
import type { Meaning } from "../kind.ts";
import { camunda } from "./camunda.ts";

const form = camunda.connection!;

void test("a user task, a job and a message each resume a process once, with the outcome in a variable", async (t) => {
  const engine = await startCamunda(t);
  for (const sort of ["user_task", "job"] as const) {
    const waiting = await engine.waitFor(sort);
    assert.equal((await attemptOnce(t, camunda, engine, waiting)).meaning, "done");
    assert.deepEqual(waiting.received, [{ outcome: OUTCOME }]);
  }
  const waiting = await engine.waitFor("message");
  engine.subscribe(waiting);
  assert.equal((await attemptOnce(t, camunda, engine, waiting)).meaning, "done");
  assert.deepEqual(waiting.received, [{ outcome: OUTCOME }]);
});

void test("the response alone is the value of the variable that the task names", async (t) => {
  const engine = await startCamunda(t);
  for (const sort of ["user_task", "message"] as const) {
    const waiting = await engine.waitFor(sort);
    if (sort === "message") engine.subscribe(waiting);
    const entry = { ...waiting.entry, variable: "refund" };
    await attemptOnce(t, camunda, engine, { entry }, { value: '{"approved":true,"amount":42.50}' });
    assert.deepEqual(waiting.received, [{ refund: { approved: true, amount: 42.5 } }]);
  }
});

void test("a message waits for a process that is not yet there", async (t) => {
  const engine = await startCamunda(t);
  const waiting = await engine.waitFor("message");
  assert.equal((await attemptOnce(t, camunda, engine, waiting)).meaning, "done");
  engine.elapse(6 * DAY);
  engine.subscribe(waiting);
  assert.deepEqual(waiting.received, [{ outcome: OUTCOME }]);
});

void test("a message that arrives twice is one, also after days and for a process that waits again", async (t) => {
  const engine = await startCamunda(t);
  const waiting = await engine.waitFor("message");
  engine.subscribe(waiting);
  engine.script.push("lost");
  assert.deepEqual((await attemptUntilSettled(t, camunda, engine, waiting)).at(-1), "done_already");
  engine.subscribe(waiting);
  engine.elapse(6 * DAY);
  assert.equal((await attemptOnce(t, camunda, engine, waiting)).meaning, "done_already");
  assert.equal(waiting.received.length, 1);
});

void test("each answer to a completion means what the page says", async (t) => {
  const engine = await startCamunda(t);
  const expected: [number, Meaning][] = [
    [204, "done"],
    [400, "gone"],
    [403, "refused"],
    [409, "later"],
    [413, "gone"],
    [429, "later"],
    [500, "later"],
    [502, "later"],
    [503, "later"],
    [504, "later"],
  ];
  for (const sort of ["user_task", "job"] as const)
    for (const [status, meaning] of expected) {
      const waiting = await engine.waitFor(sort);
      engine.script.push({ status, headers: { "Retry-After": "7" } });
      const resumed = await attemptOnce(t, camunda, engine, waiting);
      assert.deepEqual([status, resumed.meaning], [status, meaning]);
      assert.equal(resumed.wait_ms, meaning === "later" || meaning === "refused" ? 7_000 : undefined);
      assert.deepEqual(waiting.received, []);
    }
});

void test("each answer to a message means what the page says", async (t) => {
  const engine = await startCamunda(t);
  const expected: [number, object, Meaning][] = [
    [200, {}, "done"],
    [400, {}, "gone"],
    [403, {}, "refused"],
    [404, { title: "Not Found" }, "later"],
    [409, { title: "ALREADY_EXISTS" }, "done_already"],
    [409, { title: "INVALID_STATE" }, "later"],
    [500, {}, "later"],
    [503, {}, "later"],
  ];
  for (const [status, body, meaning] of expected) {
    engine.script.push({ status, body });
    const resumed = await attemptOnce(t, camunda, engine, await engine.waitFor("message"));
    assert.deepEqual([status, resumed.meaning], [status, meaning]);
  }
});

void test("what was completed elsewhere is done already, and what was cancelled is gone", async (t) => {
  const engine = await startCamunda(t);
  for (const sort of ["user_task", "job"] as const) {
    const attempt = async (state: "COMPLETED" | "CANCELED" | "FAILED", isShown: boolean) => {
      const waiting = await engine.waitFor(sort);
      engine.end(waiting, state, isShown);
      return (await attemptOnce(t, camunda, engine, waiting)).meaning;
    };
    assert.equal(await attempt("COMPLETED", true), "done_already");
    assert.equal(await attempt("CANCELED", true), "gone");
    // The search lags behind, so nothing is known yet.
    assert.equal(await attempt("COMPLETED", false), "later");
    // An operator of the process can resolve the incident.
    assert.equal(await attempt("FAILED", true), "later");
  }
});

void test("what never was is gone; after a cut-off attempt it is taken for done, if Camunda does not show it", async (t) => {
  const engine = await startCamunda(t);
  const waiting = { entry: { user_task_key: "7" } };
  assert.equal((await attemptOnce(t, camunda, engine, waiting)).meaning, "gone");
  assert.equal((await attemptOnce(t, camunda, engine, waiting, { wasCutOff: true })).meaning, "done_already");
});

void test("a url that is no cluster's ends nothing: the answer is later, and the probe says what is wrong", async (t) => {
  const engine = await startCamunda(t);
  const waiting = await engine.wait();
  const { address, secret } = engine.connection!;
  const connection = { address: { ...address, url: `${address["url"] as string}/elsewhere` }, secret };
  const resumed = await attemptOnce(t, camunda, { connection }, waiting);
  assert.equal(resumed.meaning, "later");
  assert.match(resumed.message, /url of the connection/);
  assert.match((await probeOnce(t, camunda, connection)).detail, /404.*without \/v2/);
});

void test("a wrong secret is refused, and nothing is resumed; the probe says so", async (t) => {
  for (const auth of ["oauth", "basic"] as const) {
    const engine = await startCamunda(t, auth);
    // A token that was given for the right secret serves no other.
    assert.deepEqual(await probeOnce(t, camunda, engine.connection), {
      ok: true,
      detail: "Camunda answered with its topology.",
    });
    const waiting = await engine.wait();
    const connection = { ...engine.connection!, secret: "wr0ng~secret" };
    const resumed = await attemptOnce(t, camunda, { connection }, waiting);
    assert.equal(resumed.meaning, "refused");
    assert.doesNotMatch(resumed.message, /wr0ng/);
    assert.deepEqual(waiting.received, []);
    const probed = await probeOnce(t, camunda, connection);
    assert.equal(probed.ok, false);
    assert.match(probed.detail, auth === "oauth" ? /token endpoint answered 401/ : /Camunda answered 401/);
  }
});

void test("a cluster without authentication needs no secret", async (t) => {
  const engine = await startCamunda(t, "none");
  const waiting = await engine.wait();
  assert.equal((await probeOnce(t, camunda, engine.connection)).ok, true);
  assert.equal((await attemptOnce(t, camunda, engine, waiting)).meaning, "done");
});

void test("one token serves many attempts, until it is revoked or expires", async (t) => {
  const tokensOf = ({ log }: { log: string[] }) => log.filter((line) => line === "POST /oauth/token").length;
  const engine = await startCamunda(t);
  for (let count = 0; count < 3; count++) await attemptOnce(t, camunda, engine, await engine.wait());
  assert.equal(tokensOf(engine), 1);
  engine.revokeTokens();
  assert.equal((await attemptOnce(t, camunda, engine, await engine.wait())).meaning, "done");
  assert.equal(tokensOf(engine), 2);

  const brief = await startCamunda(t, "oauth", 20);
  for (let count = 0; count < 3; count++) await attemptOnce(t, camunda, brief, await brief.wait());
  assert.equal(tokensOf(brief), 3);
});

void test("a token endpoint that is out of order is asked again later, and its answers show no token", async (t) => {
  const engine = await startCamunda(t);
  const answered = async (reply: { status: number; headers?: Record<string, string>; body?: object }) => {
    engine.tokenScript.push(reply);
    const { meaning, wait_ms, answer } = await attemptOnce(t, camunda, engine, await engine.wait());
    return [meaning, wait_ms, answer!.body];
  };
  assert.deepEqual(await answered({ status: 503 }), ["later", undefined, ""]);
  assert.deepEqual(await answered({ status: 429, headers: { "Retry-After": "9" } }), ["later", 9_000, ""]);
  const error = { error: "invalid_client" };
  assert.deepEqual(await answered({ status: 400, body: error }), ["refused", undefined, JSON.stringify(error)]);
  assert.deepEqual(await answered({ status: 200, body: { token: "s3cret" } }), ["refused", undefined, ""]);
  assert.ok(engine.log.every((line) => line === "POST /oauth/token"));
});

void test("a connection says how it signs in, in one way", () => {
  const url = "http://127.0.0.1:8080";
  const token_url = "https://login.cloud.camunda.io/oauth/token";
  const wrong = (address: object, secret: string | null) => form.checkAddress!({ url, ...address }, secret)?.message;
  assert.equal(wrong({}, null), undefined);
  assert.equal(wrong({ username: "demo" }, "demo"), undefined);
  assert.equal(wrong({ client_id: "a", token_url, audience: "zeebe.camunda.io" }, "s"), undefined);
  assert.equal(wrong({ client_id: "a", token_url, username: "demo" }, "s"), "Give either client_id or username.");
  assert.equal(wrong({ client_id: "a" }, "s"), "A client_id needs a token_url.");
  assert.equal(wrong({ audience: "x" }, null), "audience needs a client_id.");
  assert.equal(wrong({ client_id: "a", token_url }, null), "A client_id needs a secret.");
  assert.equal(wrong({ username: "demo" }, null), "A username needs a secret.");
  assert.equal(wrong({}, "s"), "A secret needs a client_id or a username.");
});

void test("a task names one thing that waits", () => {
  const wrong = (address: object) => camunda.checkAddress!(address as Record<string, unknown>)?.message;
  assert.equal(wrong({ user_task_key: "1" }), undefined);
  assert.equal(wrong({ message_name: "m", correlation_key: "k" }), undefined);
  assert.equal(wrong({}), "Give one of user_task_key, job_key and message_name.");
  assert.equal(wrong({ user_task_key: "1", job_key: "2" }), "Give one of user_task_key, job_key and message_name.");
  assert.equal(wrong({ message_name: "m" }), "A message has a message_name and a correlation_key.");
  assert.equal(wrong({ job_key: "2", correlation_key: "k" }), "A message has a message_name and a correlation_key.");
});

void test("whatever goes wrong on the way, the process goes on once", async (t) => {
  await assertProperty(
    asyncProperty(
      scripts,
      constantFrom("user_task" as const, "job" as const, "message" as const),
      async (script, sort) => {
        const engine = await startCamunda(t);
        const waiting = await engine.waitFor(sort);
        if (sort === "message") engine.subscribe(waiting);
        engine.script.push(...script);
        const before = await attemptUntilSettled(t, camunda, engine, waiting, { max: script.length + 1 });
        engine.catchUp();
        const meanings = [...before, ...(await attemptUntilSettled(t, camunda, engine, waiting))];
        assert.ok(["done", "done_already"].includes(meanings.at(-1)!), meanings.join());
        assert.equal(waiting.received.length, 1);
        await engine.close();
      },
    ),
    { numRuns: 40 },
  );
});
