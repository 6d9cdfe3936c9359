import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { attemptOnce, OUTCOME, probeOnce } from "../../../test/support/engines/attempt.ts";
import { attemptUntilSettled, scripts } from "../../../test/support/engines/until-settled.ts";
import { startInngest } from "../../../test/support/engines/inngest.ts";
import type { Meaning } from "../kind.ts";
import { inngest } from "./inngest.ts";

void test("a run that waits for a signal goes on once, with the outcome", async (t) => {
  const engine = await startInngest(t);
  const waiting = await engine.wait();
  const { meaning, message } = await attemptOnce(t, inngest, engine, waiting);
  assert.deepEqual([meaning, message], ["done", "Inngest answered 200."]);
  assert.deepEqual(waiting.received, [OUTCOME]);
});

void test("a task that asks for the response only sends its value", async (t) => {
  const engine = await startInngest(t);
  for (const value of [{ approved: true }, null]) {
    const waiting = await engine.wait();
    await attemptOnce(t, inngest, engine, waiting, { value: JSON.stringify(value) });
    assert.deepEqual(waiting.received, [value]);
  }
});

void test("however often attempts are cut off, fail or come too early, a run goes on once", async (t) => {
  const engine = await startInngest(t);
  await fc.assert(
    fc.asyncProperty(scripts, fc.integer({ min: 0, max: 3 }), async (script, early) => {
      // A signal that comes too early is answered as one that was taken. So after it was cut off, that is not known.
      const waiting = await engine.wait(script.includes("lost") ? 0 : early);
      engine.script.splice(0, Infinity, ...script);
      const last = (await attemptUntilSettled(t, inngest, engine, waiting)).at(-1);
      assert.ok(last === "done" || last === "done_already", last);
      assert.deepEqual(waiting.received, [OUTCOME]);
    }),
    { numRuns: 30 },
  );
});

void test("a run that has not come to its wait yet is tried again", async (t) => {
  const engine = await startInngest(t);
  const waiting = await engine.wait(1);
  const { meaning, message } = await attemptOnce(t, inngest, engine, waiting);
  assert.deepEqual(
    [meaning, message],
    ["later", "Inngest answered 404: No signal found. No run waits for this signal now."],
  );
  assert.equal((await attemptOnce(t, inngest, engine, waiting)).meaning, "done");
  assert.deepEqual(waiting.received, [OUTCOME]);
});

void test("a run that has timed out is tried again, because Inngest does not tell", async (t) => {
  const engine = await startInngest(t);
  const waiting = await engine.wait();
  waiting.expire();
  assert.equal((await attemptOnce(t, inngest, engine, waiting)).meaning, "later");
});

void test("an attempt that was cut off has probably resumed the run that no longer waits", async (t) => {
  const engine = await startInngest(t);
  const waiting = await engine.wait();
  engine.script.push("lost");
  await assert.rejects(attemptOnce(t, inngest, engine, waiting), { name: "NotAnswered" });
  const { meaning, message } = await attemptOnce(t, inngest, engine, waiting, { wasCutOff: true });
  assert.equal(meaning, "done_already");
  assert.match(message, /An earlier attempt was cut off/);
  assert.deepEqual(waiting.received, [OUTCOME]);
});

void test("an answer means what the page about Inngest says", async (t) => {
  const engine = await startInngest(t);
  const meanings: Record<Meaning, number[]> = {
    done: [],
    done_already: [],
    gone: [400, 405, 410, 413, 422],
    later: [200, 202, 301, 404, 408, 409, 429, 500, 502, 503, 504],
    refused: [401, 403],
  };
  for (const [meaning, statuses] of Object.entries(meanings))
    for (const status of statuses) {
      engine.script.push({ status, body: { error: "A reason", status } });
      const found = await attemptOnce(t, inngest, engine, await engine.wait());
      assert.deepEqual([status, found.meaning], [status, meaning]);
      if ([400, 401, 403, 404].includes(status)) assert.match(found.message, /^Inngest answered \d+: A reason\./);
    }
});

void test("an engine that says when to come again is asked no sooner", async (t) => {
  const engine = await startInngest(t);
  engine.script.push({ status: 429, headers: { "Retry-After": "7" } });
  assert.equal((await attemptOnce(t, inngest, engine, await engine.wait())).wait_ms, 7_000);
});

void test("a wrong key is refused, and nothing goes on", async (t) => {
  const engine = await startInngest(t);
  for (const secret of [null, "signkey-test-ffff"]) {
    const waiting = await engine.wait();
    const connection = { ...engine.connection, secret };
    const { meaning, message, answer } = await attemptOnce(t, inngest, { connection }, waiting);
    assert.deepEqual([meaning, message], ["refused", "Inngest answered 401: Authentication failed."]);
    assert.ok(!JSON.stringify([message, answer]).includes("ffff"));
    assert.deepEqual(waiting.received, []);
  }
});

void test("a branch environment is named in each request", async (t) => {
  const engine = await startInngest(t);
  const names = { "feat/one": "feat/one", "ä\r\nX-Other: 1": "%C3%A4%0D%0AX-Other%3A%201" };
  for (const [environment, sent] of Object.entries(names)) {
    const connection = { ...engine.connection, address: { ...engine.connection.address, environment } };
    await attemptOnce(t, inngest, { connection }, await engine.wait());
    await probeOnce(t, inngest, connection);
    assert.deepEqual(engine.environments.splice(0), [sent, sent]);
  }
  await attemptOnce(t, inngest, engine, await engine.wait());
  assert.deepEqual(engine.environments, [null]);
});

void test("a probe says whether the server is there, and accepts the key", async (t) => {
  const engine = await startInngest(t);
  const { address, secret } = engine.connection;
  const probe = async (changes: object, key = secret) =>
    probeOnce(t, inngest, { address: { ...address, ...changes }, secret: key });
  assert.deepEqual(await probe({}), { ok: true, detail: "Inngest answers, and accepts the key." });
  assert.deepEqual(await probe({}, "signkey-test-ffff"), {
    ok: false,
    detail: "Inngest answered 401: Authentication failed.",
  });
  assert.deepEqual(await probe({ url: `${String(address["url"])}/other` }), {
    ok: false,
    detail: "Inngest answered 404: 404 page not found.",
  });
  assert.deepEqual(
    await inngest.connection!.probe(engine.connection, async () => ({ status: 200, headers: {}, body: "<html>" }), 0),
    { ok: false, detail: "Inngest answered 200, but not with its events." },
  );
  await engine.close();
  await assert.rejects(probe({}), { name: "NotAnswered" });
});
