import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { attemptOnce, OUTCOME, probeOnce } from "../../../test/support/engines/attempt.ts";
import { attemptUntilSettled, scripts } from "../../../test/support/engines/until-settled.ts";
import { startTemporal, type How, type TemporalWaiting } from "../../../test/support/engines/temporal.ts";
import type { Meaning, Outcome } from "../kind.ts";
import { temporal } from "./temporal.ts";

const HOWS: readonly How[] = ["signal", "update", "activity", "token"];
const NAMES: Record<How, string> = {
  signal: "a signal",
  update: "an update",
  activity: "the completion of an activity by its id",
  token: "the completion of an activity by its token",
};

for (const how of HOWS) {
  void test(`${NAMES[how]} resumes a workflow once, with the outcome`, async (t) => {
    const engine = await startTemporal(t);
    const waiting = await engine.wait(how);
    assert.equal(temporal.checkAddress!(waiting.entry), null);
    assert.equal((await attemptOnce(t, temporal, engine, waiting)).meaning, "done");
    assert.deepEqual(waiting.received, [OUTCOME]);
  });

  void test(`${NAMES[how]} has the value of the response, if a task asks for that only`, async (t) => {
    const engine = await startTemporal(t);
    // As the shorthand of payloads, these would arrive as something else.
    for (const value of [{ approved: true }, null, [], { _protoMessageType: "temporal.api.common.v1.Payload" }]) {
      const waiting = await engine.wait(how);
      await attemptOnce(t, temporal, engine, waiting, { value: JSON.stringify(value) });
      assert.deepEqual(waiting.received, [value]);
    }
  });

  void test(`${NAMES[how]}: however often attempts are cut off or fail, the workflow goes on once`, async (t) => {
    const engine = await startTemporal(t);
    await fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const waiting = await engine.wait(how);
        engine.script.splice(0, Infinity, ...script);
        const last = (await attemptUntilSettled(t, temporal, engine, waiting)).at(-1);
        assert.ok(last === "done" || last === "done_already", last);
        assert.deepEqual(waiting.received, [OUTCOME]);
      }),
      { numRuns: 20 },
    );
  });

  void test(`${NAMES[how]}: a wrong key is refused, and nothing goes on`, async (t) => {
    const engine = await startTemporal(t);
    for (const secret of [null, "wrong"]) {
      const waiting = await engine.wait(how);
      const connection = { ...engine.connection, secret };
      const { meaning, message } = await attemptOnce(t, temporal, { connection }, waiting);
      assert.deepEqual([meaning, message], ["refused", "Temporal answered 403: Request unauthorized."]);
      assert.deepEqual(waiting.received, []);
    }
  });

  void test(`${NAMES[how]}: a workflow that has ended, or never was, is gone`, async (t) => {
    const engine = await startTemporal(t);
    const [ended, open] = [await engine.wait(how), await engine.wait(how)];
    ended.close();
    const others =
      how === "token"
        ? [{ task_token: "AAAA" }]
        : [
            { ...open.entry, workflow_id: "other" },
            { ...open.entry, run_id: "0e7c6b3a-1f7e-4c06-9a3b-1f6f5b0d2c11" },
          ];
    for (const entry of [ended.entry, ...others]) {
      const { meaning, answer, message } = await attemptOnce(t, temporal, engine, { entry });
      assert.deepEqual([meaning, answer?.status], ["gone", 404]);
      assert.match(message, /^Temporal answered 404: (workflow|invalid activityID)/);
    }
    assert.deepEqual([...ended.received, ...open.received], []);
  });

  void test(`${NAMES[how]}: a namespace that the server does not know can be mended`, async (t) => {
    const engine = await startTemporal(t);
    const waiting = await engine.wait(how);
    const connection = { ...engine.connection, address: { ...engine.connection.address, namespace: "other" } };
    const { meaning, message } = await attemptOnce(t, temporal, { connection }, waiting);
    assert.deepEqual([meaning, message], ["later", "Temporal answered 404: Namespace other is not found."]);
  });

  void test(`${NAMES[how]}: an address that is not that of the HTTP API can be mended`, async (t) => {
    const engine = await startTemporal(t);
    const waiting = await engine.wait(how);
    const address = { ...engine.connection.address, url: `${String(engine.connection.address["url"])}/other` };
    const { meaning } = await attemptOnce(t, temporal, { connection: { ...engine.connection, address } }, waiting);
    assert.equal(meaning, "later");
    assert.deepEqual(waiting.received, []);
  });

  void test(`${NAMES[how]}: an outcome that Temporal would not take is not sent`, async (t) => {
    const engine = await startTemporal(t);
    const waiting = await engine.wait(how);
    const outcome: Outcome = { ...OUTCOME, response: { text: "x".repeat(2 * 1024 * 1024) } };
    const { meaning, message, answer } = await attemptOnce(t, temporal, engine, waiting, { outcome });
    assert.deepEqual([meaning, answer], ["gone", null]);
    assert.match(message, /^The outcome has 2097\d+ bytes, and Temporal takes 2097152 at most\. Nothing was sent\.$/);
    assert.ok(!waiting.hasFailed);
  });

  void test(`${NAMES[how]}: an answer means what the page about Temporal says`, async (t) => {
    const engine = await startTemporal(t);
    const meanings: Record<Meaning, number[]> = {
      done: [],
      done_already: [],
      gone: [400, 405, 413],
      later: [404, 408, 409, 429, 499, 500, 501, 502, 503, 504],
      refused: [401, 403],
    };
    for (const [meaning, statuses] of Object.entries(meanings))
      for (const status of statuses) {
        const turn = { status, body: { code: 5, message: "Not Found", details: [] } };
        engine.script.splice(0, Infinity, turn, turn);
        const found = await attemptOnce(t, temporal, engine, await engine.wait(how));
        assert.deepEqual([status, found.meaning], [status, meaning]);
      }
  });
}

for (const how of HOWS)
  void test(`${NAMES[how]} is not done, if another server answers 200`, async (t) => {
    const engine = await startTemporal(t);
    engine.script.push({ status: 200, body: "<html>" });
    const { meaning, message } = await attemptOnce(t, temporal, engine, await engine.wait(how));
    assert.deepEqual([meaning, message], ["later", "The server answered 200, but not as Temporal does."]);
  });

void test("a signal that was recorded is not gone, although its workflow has ended since", async (t) => {
  const engine = await startTemporal(t);
  const waiting = await engine.wait();
  engine.script.push("lost");
  await assert.rejects(attemptOnce(t, temporal, engine, waiting));
  waiting.close();
  assert.equal((await attemptOnce(t, temporal, engine, waiting, { wasCutOff: true })).meaning, "done");
  assert.deepEqual(waiting.received, [OUTCOME]);
});

void test("a signal that was not recorded before its workflow ended is gone, also after an attempt that was cut off", async (t) => {
  const engine = await startTemporal(t);
  const waiting = await engine.wait();
  waiting.close();
  assert.equal((await attemptOnce(t, temporal, engine, waiting, { wasCutOff: true })).meaning, "gone");
});

for (const how of ["update", "activity", "token"] as const)
  void test(`${NAMES[how]}: an attempt that was cut off has probably resumed what is gone now`, async (t) => {
    const engine = await startTemporal(t);
    const waiting = await engine.wait(how);
    waiting.close();
    assert.equal((await attemptOnce(t, temporal, engine, waiting, { wasCutOff: true })).meaning, "done_already");
  });

void test("deliveries of two tasks are two signals", async (t) => {
  const engine = await startTemporal(t);
  const waiting = await engine.wait();
  for (const id of ["dlv_1", "dlv_2"]) await attemptOnce(t, temporal, engine, waiting, { id });
  assert.equal(waiting.received.length, 2);
});

const UPDATES: readonly { is: string; set(waiting: TemporalWaiting): void; means: Meaning; says: RegExp }[] = [
  {
    is: "refuses",
    set: (waiting) => (waiting.refuses = true),
    means: "gone",
    says: /^The workflow refused the update: The amount is too high\.$/,
  },
  {
    is: "does not accept in time",
    set: (waiting) => (waiting.isIdle = true),
    means: "later",
    says: /has not accepted the update yet\. Does a worker run\?$/,
  },
];

for (const { is, set, means, says } of UPDATES)
  void test(`an update that a workflow ${is} is ${means}`, async (t) => {
    const engine = await startTemporal(t);
    const waiting = await engine.wait("update");
    set(waiting);
    const { meaning, message } = await attemptOnce(t, temporal, engine, waiting);
    assert.equal(meaning, means);
    assert.match(message, says);
    assert.deepEqual(waiting.received, []);
  });

for (const how of ["activity", "token"] as const)
  void test(`${NAMES[how]} works with earlier servers, too`, async (t) => {
    const engine = await startTemporal(t, { isOld: true });
    const waiting = await engine.wait(how);
    assert.equal((await attemptOnce(t, temporal, engine, waiting)).meaning, "done");
    assert.deepEqual(waiting.received, [OUTCOME]);
    const { meaning } = await attemptOnce(t, temporal, engine, waiting);
    assert.equal(meaning, "gone");
  });

void test("an entry names one thing to resume, which the HTTP API can name", () => {
  const check = (entry: Record<string, string>) => temporal.checkAddress!(entry)?.path ?? null;
  assert.equal(check({ workflow_id: "order:1 ä", signal: "decided" }), null);
  assert.equal(check({ workflow_id: "order", run_id: "r", activity_id: "5" }), null);
  assert.equal(check({ task_token: "CiRh+/8=" }), null);
  assert.equal(check({}), "");
  assert.equal(check({ workflow_id: "order" }), "");
  assert.equal(check({ workflow_id: "order", signal: "a", update: "b" }), "");
  assert.equal(check({ task_token: "AAAA", signal: "a" }), "");
  assert.equal(check({ signal: "decided" }), "/workflow_id");
  assert.equal(check({ task_token: "not Base64" }), "/task_token");
  assert.equal(check({ task_token: "AAAA", workflow_id: "order" }), "/workflow_id");
  assert.equal(check({ task_token: "AAAA", run_id: "r" }), "/run_id");
  for (const wrong of ["order/1", ".", "..", "\ud800"]) {
    assert.equal(check({ workflow_id: wrong, signal: "decided" }), "/workflow_id");
    for (const name of ["signal", "update", "activity_id"])
      assert.equal(check({ workflow_id: "order", [name]: wrong }), `/${name}`);
  }
});

void test("a probe says whether the server is there, accepts the key and has the namespace", async (t) => {
  const engine = await startTemporal(t);
  const { address, secret } = engine.connection;
  const probe = async (changes: object, key: string | null = secret) =>
    probeOnce(t, temporal, { address: { ...address, ...changes }, secret: key });
  assert.deepEqual(await probe({}), { ok: true, detail: 'The namespace "default" is there.' });
  assert.deepEqual(await probe({}, "wrong"), { ok: false, detail: "Temporal answered 403: Request unauthorized." });
  assert.deepEqual(await probe({}, null), { ok: false, detail: "Temporal answered 403: Request unauthorized." });
  assert.deepEqual(await probe({ namespace: "other" }), {
    ok: false,
    detail: "Temporal answered 404: Namespace other is not found.",
  });
  assert.deepEqual(await probe({ url: `${String(address["url"])}/web` }), {
    ok: false,
    detail: "Temporal answered 404: Not Found",
  });
  assert.deepEqual(
    await temporal.connection!.probe(engine.connection, async () => ({ status: 200, headers: {}, body: "<html>" }), 0),
    { ok: false, detail: "The server answered 200, but not as Temporal does." },
  );
  await engine.close();
  await assert.rejects(probe({}), { name: "NotAnswered" });
});

void test("no sentence has the key in it", async (t) => {
  const engine = await startTemporal(t);
  const secret = "a-key-that-is-secret";
  const waiting = await engine.wait();
  const { message, answer } = await attemptOnce(t, temporal, { connection: { ...engine.connection, secret } }, waiting);
  assert.ok(!JSON.stringify([message, answer]).includes(secret));
});
