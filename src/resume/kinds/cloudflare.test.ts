import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { attemptOnce, OUTCOME, probeOnce } from "../../../test/support/engines/attempt.ts";
import { startCloudflare } from "../../../test/support/engines/cloudflare.ts";
import type { Turn } from "../../../test/support/engines/engine.ts";
import { attemptUntilSettled } from "../../../test/support/engines/until-settled.ts";
import type { Connection, Outcome } from "../kind.ts";
import { cloudflare } from "./cloudflare.ts";

const failing = (status: number, code: number): Turn => ({
  status,
  body: { success: false, errors: [{ code, message: "" }], messages: [], result: null },
});

void test("an instance goes on once, with the outcome or with the response only", async (t) => {
  const engine = await startCloudflare(t);
  const whole = await engine.wait();
  const resumed = await attemptOnce(t, cloudflare, engine, whole);
  assert.deepEqual([resumed.meaning, resumed.message], ["done", "Cloudflare took the event approval."]);
  assert.deepEqual(whole.received, [OUTCOME]);

  const part = await engine.wait();
  await attemptOnce(t, cloudflare, engine, part, { value: '{"approved":true}' });
  assert.deepEqual(part.received, [{ approved: true }]);
});

void test("no answer is an event as well", async (t) => {
  const engine = await startCloudflare(t);
  const instance = await engine.wait(["approval", "approval"]);
  const outcome: Outcome = { ...OUTCOME, status: "timed_out", response: null };
  await attemptOnce(t, cloudflare, engine, instance, { outcome });
  await attemptOnce(t, cloudflare, engine, instance, { outcome, value: "null" });
  assert.deepEqual(instance.received, [outcome, null]);
});

void test("without a type, the event has the id of the task", async (t) => {
  const engine = await startCloudflare(t);
  const { entry, received } = await engine.wait([OUTCOME.task_id]);
  const { event_type: _, ...untyped } = entry;
  assert.equal((await attemptOnce(t, cloudflare, engine, { entry: untyped })).meaning, "done");
  assert.deepEqual(received, [OUTCOME]);
});

void test("an instance that has ended is gone, and so is one that is none", async (t) => {
  const engine = await startCloudflare(t);
  for (const status of ["terminated", "errored"] as const) {
    const instance = await engine.wait();
    instance.end(status);
    const resumed = await attemptOnce(t, cloudflare, engine, instance);
    assert.deepEqual([resumed.meaning, resumed.message], ["gone", `The instance no longer waits: it is ${status}.`]);
    assert.equal((await attemptOnce(t, cloudflare, engine, instance, { wasCutOff: true })).meaning, "done_already");
    assert.deepEqual(instance.received, []);
  }
  const { entry } = await engine.wait();
  const unknown = await attemptOnce(t, cloudflare, engine, { entry: { ...entry, instance_id: "other" } });
  assert.match(`${unknown.meaning}: ${unknown.message}`, /^gone: .*no such instance/);
  const none = await attemptOnce(t, cloudflare, engine, { entry: { ...entry, workflow: "other" } });
  assert.match(`${none.meaning}: ${none.message}`, /^gone: .*no such workflow/);
});

void test("an event of more than 1 MiB is not sent", async (t) => {
  const engine = await startCloudflare(t);
  const instance = await engine.wait(["approval", "approval"]);
  const sized = (bytes: number) => ({ value: JSON.stringify("ë".repeat((bytes - 2) / 2)) });
  const large = await attemptOnce(t, cloudflare, engine, instance, sized(1024 * 1024 + 2));
  assert.match(`${large.meaning}: ${large.message}`, /^gone: .*up to 1 MiB/);
  const repeated = await attemptOnce(t, cloudflare, engine, instance, {
    ...sized(1024 * 1024 + 2),
    wasCutOff: true,
  });
  assert.equal(repeated.meaning, "gone");
  assert.equal((await attemptOnce(t, cloudflare, engine, instance, sized(1024 * 1024))).meaning, "done");
  assert.equal(instance.received.length, 1);
});

void test("each answer means what the page says, to the look and to the event", async (t) => {
  const engine = await startCloudflare(t);
  const cases: [Turn, string][] = [
    [failing(400, 6003), "refused"],
    [failing(401, 10000), "refused"],
    [failing(403, 10000), "refused"],
    [failing(403, 9109), "refused"],
    [failing(404, 7003), "refused"],
    [failing(404, 7000), "refused"],
    [failing(404, 10200), "gone"],
    [failing(404, 10400), "gone"],
    [failing(404, 10501), "gone"],
    [failing(404, 99999), "later"],
    [{ status: 404, body: "Not found" }, "later"],
    [failing(400, 99999), "gone"],
    [{ status: 413 }, "gone"],
    [failing(200, 10001), "later"],
    [{ status: 200, body: "hello" }, "later"],
    [failing(500, 10001), "later"],
    [{ status: 502 }, "later"],
    [{ status: 401 }, "refused"],
    [{ status: 403 }, "refused"],
  ];
  for (const script of [engine.script, engine.lookScript])
    for (const [turn, meaning] of cases) {
      const instance = await engine.wait();
      script.push(turn);
      const resumed = await attemptOnce(t, cloudflare, engine, instance);
      assert.equal(resumed.meaning, meaning, JSON.stringify(turn));
      assert.deepEqual(instance.received, []);
    }

  engine.script.push({ status: 429, headers: { "Retry-After": "30" } });
  const limited = await attemptOnce(t, cloudflare, engine, await engine.wait());
  assert.deepEqual([limited.meaning, limited.wait_ms], ["later", 30_000]);
});

void test("an instance whose steps cannot all be read is told all the same", async (t) => {
  const engine = await startCloudflare(t);
  const instance = await engine.wait();
  engine.lookScript.push({
    status: 200,
    body: { success: false, errors: [{ code: 10001, message: "" }], result: { status: "running", steps: [] } },
  });
  assert.equal((await attemptOnce(t, cloudflare, engine, instance)).meaning, "done");
});

void test("a repetition finds the event that an earlier attempt has sent, also a long one", async (t) => {
  const engine = await startCloudflare(t);
  for (const outcome of [OUTCOME, { ...OUTCOME, response: { text: "x".repeat(5000) } }]) {
    // The next wait would take a second event of the same type.
    const instance = await engine.wait(["approval", "approval"]);
    await attemptOnce(t, cloudflare, engine, instance, { outcome });
    const again = await attemptOnce(t, cloudflare, engine, instance, { outcome, wasCutOff: true });
    assert.equal(again.meaning, "done_already");
    assert.deepEqual(instance.received, [outcome]);
    // The event of another task is none of this one.
    const other = { ...outcome, task_id: "tsk_other" };
    assert.equal(
      (await attemptOnce(t, cloudflare, engine, instance, { outcome: other, wasCutOff: true })).meaning,
      "done",
    );
    assert.deepEqual(instance.received, [outcome, other]);
  }
});

void test("an equal event of another type, and a wait that has timed out, are not this event", async (t) => {
  const engine = await startCloudflare(t);
  const payload = { approved: true };
  const steps: object[] = [
    { type: "waitForEvent", finished: true, event_type: "other", output: JSON.stringify({ payload }) },
    { type: "waitForEvent", finished: true, output: { type: "other", payload } },
    { type: "waitForEvent", finished: true, event_type: "approval", error: { name: "WorkflowTimeoutError" } },
    { type: "waitForEvent", finished: false, event_type: "approval" },
    { type: "step", finished: true, output: { type: "approval", payload } },
  ];
  for (const step of steps) {
    const instance = await engine.wait();
    engine.lookScript.push({ status: 200, body: { success: true, result: { status: "running", steps: [step] } } });
    const again = { value: JSON.stringify(payload), wasCutOff: true };
    assert.equal((await attemptOnce(t, cloudflare, engine, instance, again)).meaning, "done", JSON.stringify(step));
    assert.deepEqual(instance.received, [payload]);
  }
});

void test("a token that is wrong, or of another account, is refused, and nothing goes on", async (t) => {
  const engine = await startCloudflare(t);
  const instance = await engine.wait();
  const { address, secret } = engine.connection;
  for (const connection of [
    { address, secret: "other" },
    { address: { ...address, account_id: "other" }, secret },
  ]) {
    const resumed = await attemptOnce(t, cloudflare, { connection }, instance);
    assert.equal(resumed.meaning, "refused");
    assert.ok(!resumed.message.includes(connection.secret));
  }
  assert.deepEqual(instance.received, []);
});

void test("a probe says what is wrong", async (t) => {
  const { connection } = await startCloudflare(t);
  const { address, secret } = connection;
  assert.deepEqual(await probeOnce(t, cloudflare, connection), {
    ok: true,
    detail: "Cloudflare accepts the token for the workflows of this account.",
  });
  const detail = async (changed: Connection) => {
    const { ok, detail: said } = await probeOnce(t, cloudflare, changed);
    assert.equal(ok, false);
    return said;
  };
  assert.match(await detail({ address, secret: "other" }), /401.*10000.*token/);
  assert.match(await detail({ address: { ...address, account_id: "other" }, secret }), /no such account/);
  assert.match(
    await detail({ address: { ...address, url: `${String(address["url"])}/v5` }, secret }),
    /Is the url right/,
  );
});

void test("names and types are those of Cloudflare, and lead nowhere else", () => {
  const check = (instance_id: string) => cloudflare.checkAddress!({ workflow: "w", instance_id });
  assert.equal(check("daily 0/5"), null);
  for (const bad of [".", ".."]) assert.equal(check(bad)?.path, "/instance_id", bad);
  for (const field of ["workflow", "event_type"]) {
    const { pattern } = cloudflare.address.properties[field] as unknown as { pattern: string };
    for (const fine of ["approval", "_a-1", OUTCOME.task_id]) assert.match(fine, new RegExp(pattern));
    for (const bad of ["", "-a", "a.b", "..", "a/b", "a b", "a\n"]) assert.doesNotMatch(bad, new RegExp(pattern));
  }
  const checkSecret = cloudflare.connection!.checkSecret!;
  assert.equal(checkSecret("YQSn-xWAQiiEh9qM58wZ"), null);
  for (const bad of ["", "a b", "a\n"]) assert.notEqual(checkSecret(bad), null);
});

void test("a delivery that is repeated after crashes and errors resumes once", async (t) => {
  const engine = await startCloudflare(t);
  const turn = fc.oneof(
    fc.constant<Turn>("lost"),
    fc.constantFrom(401, 403, 429, 500, 502, 503).map((status): Turn => ({ status })),
  );
  const turns = fc.array(turn, { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(turns, turns, fc.boolean(), async (script, looks, isOwnType) => {
      // With the type of the task no other wait takes a repeated event; with another type, the look prevents one.
      const type = isOwnType ? OUTCOME.task_id : "approval";
      const instance = await engine.wait([type, isOwnType ? "approval" : type]);
      engine.lookScript.push(...looks);
      engine.script.push(...script);
      const last = (await attemptUntilSettled(t, cloudflare, engine, instance)).at(-1);
      engine.script.length = 0;
      engine.lookScript.length = 0;
      assert.ok(last === "done" || last === "done_already", last);
      assert.deepEqual(instance.received, [OUTCOME]);
    }),
    { numRuns: 40 },
  );
});
