import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { attemptOnce, OUTCOME, probeOnce } from "../../../test/support/engines/attempt.ts";
import { attemptUntilSettled, scripts } from "../../../test/support/engines/until-settled.ts";
import { startMastra, type Shape } from "../../../test/support/engines/mastra.ts";
import type { Meaning } from "../kind.ts";
import { mastra } from "./mastra.ts";

const TASK = OUTCOME.task_id;
/** Those in which a single place can be resumed. */
const SHAPES = ["step", "loop", "last", "parallel", "foreach", "nested"] as const satisfies Shape[];

void test("a step that waits for the task goes on once, with the outcome", async (t) => {
  const engine = await startMastra(t);
  for (const task of [TASK, undefined]) {
    const waiting = await engine.wait("step", task);
    assert.equal(mastra.checkAddress!(waiting.entry), null);
    const { meaning, message } = await attemptOnce(t, mastra, engine, waiting);
    assert.deepEqual([meaning, message], ["done", "The run went on, and waits again."]);
    assert.deepEqual(waiting.received, [OUTCOME]);
  }
});

void test("a task that asks for the response only sends its value", async (t) => {
  const engine = await startMastra(t);
  for (const value of [{ approved: true }, null]) {
    const waiting = await engine.wait("last");
    const { message } = await attemptOnce(t, mastra, engine, waiting, { value: JSON.stringify(value) });
    assert.deepEqual([message, waiting.received], ["The run went on, and ended as `success`.", [value]]);
  }
});

for (const shape of SHAPES)
  for (const [how, task] of [
    ["whose payload names the task", TASK],
    ["that the entry names", undefined],
  ] as const)
    void test(`of all that a run waits for (${shape}), only the step goes on ${how}`, async (t) => {
      const engine = await startMastra(t);
      const waiting = await engine.wait(shape, task);
      assert.equal((await attemptOnce(t, mastra, engine, waiting)).meaning, "done");
      assert.deepEqual([waiting.received, waiting.all.length], [[OUTCOME], 1]);
      assert.equal((await attemptOnce(t, mastra, engine, waiting)).meaning, "done_already");
      assert.equal(waiting.all.length, 1);
    });

void test("however often attempts are cut off or fail, one step goes on, and not the next one of its run", async (t) => {
  const engine = await startMastra(t);
  const values = fc.constantFrom(JSON.stringify(OUTCOME), '{"approved":true}', "null");
  await fc.assert(
    fc.asyncProperty(
      scripts,
      fc.constantFrom(...SHAPES),
      fc.constantFrom(TASK, undefined),
      values,
      async (script, shape, task, value) => {
        const waiting = await engine.wait(shape, task);
        engine.script.splice(0, Infinity, ...script);
        const last = (await attemptUntilSettled(t, mastra, engine, waiting, { value })).at(-1);
        assert.ok(last === "done" || last === "done_already", last);
        assert.deepEqual([waiting.received, waiting.all.length], [[JSON.parse(value)], 1]);
      },
    ),
    { numRuns: 60 },
  );
});

for (const [shape, task] of [
  ["nested foreach", TASK],
  ["nested foreach", undefined],
  ["foreach nested", TASK],
  ["foreach nested", undefined],
] as const)
  void test(`items that Mastra mixes up (${shape}, ${task ?? "no task"}) are left alone until only one waits`, async (t) => {
    const engine = await startMastra(t);
    const waiting = await engine.wait(shape, task);
    const { meaning, message } = await attemptOnce(t, mastra, engine, waiting);
    assert.deepEqual(
      [meaning, message, waiting.all],
      ["gone", "Mastra mixes up the 2 items of this `foreach`, because of a nested workflow. Nothing was sent.", []],
    );
    waiting.answerItem(0);
    assert.equal((await attemptOnce(t, mastra, engine, waiting)).meaning, "done");
    assert.deepEqual([waiting.received, waiting.all.length], [[OUTCOME], 1]);
  });

void test("without its number, an item among several is not guessed", async (t) => {
  const engine = await startMastra(t);
  const waiting = await engine.wait("foreach");
  const { for_each_index: _, ...entry } = waiting.entry;
  const { meaning, message } = await attemptOnce(t, mastra, engine, { entry });
  assert.equal(meaning, "gone");
  assert.match(message, /`for_each_index` must name one\. Nothing was sent\.$/);
  assert.deepEqual(waiting.all, []);
});

void test("an item of a foreach that was answered before is not resumed again", async (t) => {
  const engine = await startMastra(t);
  for (const task of [TASK, undefined]) {
    const waiting = await engine.wait("foreach", task);
    waiting.answerItem(1);
    assert.equal((await attemptOnce(t, mastra, engine, waiting)).meaning, "gone");
    assert.deepEqual(waiting.all, []);
  }
});

void test("the same answer in an earlier turn of a loop does not count as an answer in this one", async (t) => {
  const engine = await startMastra(t);
  const waiting = await engine.wait("loop");
  for (const id of ["dlv_1", "dlv_2"])
    assert.equal((await attemptOnce(t, mastra, engine, waiting, { id, value: '{"more":true}' })).meaning, "done");
  assert.equal(waiting.received.length, 2);
});

void test("a step that waits for another task is not resumed", async (t) => {
  const engine = await startMastra(t);
  for (const [shape, step] of [
    ["last", undefined],
    ["last", "approve"],
    ["nested", undefined],
    ["nested", "refund.approve"],
  ] as const) {
    const waiting = await engine.wait(shape, "tsk_of_someone_else");
    const entry = { ...waiting.entry, ...(step !== undefined && { step }) };
    const { meaning, message } = await attemptOnce(t, mastra, engine, { entry });
    assert.deepEqual([meaning, message], ["gone", "The run does not wait for this task."]);
    assert.deepEqual(waiting.all, []);
  }
});

const STATES = [
  ["pending", "later"],
  ["running", "later"],
  ["waiting", "later"],
  ["paused", "later"],
  ["success", "gone"],
  ["failed", "gone"],
  ["canceled", "gone"],
  ["bailed", "gone"],
  ["tripwire", "gone"],
] as const;

for (const [status, means] of STATES)
  void test(`a run that is ${status} is ${means}`, async (t) => {
    const engine = await startMastra(t);
    const waiting = await engine.wait("step", TASK);
    waiting.become(status);
    const { meaning, message } = await attemptOnce(t, mastra, engine, waiting);
    assert.equal(meaning, means);
    assert.match(message, new RegExp(`^The run (is|ended as) \`${status}\``));
    assert.deepEqual(
      engine.log.filter((line) => line.startsWith("POST")),
      [],
    );
  });

void test("a step that the run has not come to is resumed later", async (t) => {
  const engine = await startMastra(t);
  const named = await engine.wait("last", "tsk_of_someone_else");
  named.put("other", "running");
  assert.equal((await attemptOnce(t, mastra, engine, named)).meaning, "later");
  const { entry } = await engine.wait("last");
  assert.equal((await attemptOnce(t, mastra, engine, { entry: { ...entry, step: "confirm" } })).meaning, "later");
});

void test("a step that someone else has resumed is done already", async (t) => {
  const engine = await startMastra(t);
  const waiting = await engine.wait("last");
  await attemptOnce(t, mastra, engine, waiting, { id: "dlv_other", value: "{}" });
  const { meaning, message } = await attemptOnce(t, mastra, engine, waiting);
  assert.deepEqual([meaning, message], ["done_already", "The step was resumed before."]);
  assert.equal(waiting.received.length, 1);
});

void test("a run that another caller claims between two requests is resumed later", async (t) => {
  const engine = await startMastra(t);
  const waiting = await engine.wait();
  waiting.isClaimedSoon = true;
  const { meaning, answer } = await attemptOnce(t, mastra, engine, waiting);
  assert.deepEqual([meaning, answer?.status], ["later", 409]);
  assert.deepEqual(waiting.received, []);
});

void test("what the schema of a step refuses is gone, with what Mastra says", async (t) => {
  const engine = await startMastra(t);
  const waiting = await engine.wait();
  waiting.refusal = "- ok: expected boolean";
  const { meaning, message } = await attemptOnce(t, mastra, engine, waiting);
  assert.deepEqual([meaning, message], ["gone", "Mastra answered 400: Invalid resume data: - ok: expected boolean"]);
});

void test("unknown workflows and runs may come", async (t) => {
  const engine = await startMastra(t);
  const { entry } = await engine.wait();
  for (const [change, says] of [
    [{ workflow_id: "other" }, "Mastra answered 404: Workflow not found"],
    [{ run_id: "other" }, "Mastra answered 404: Workflow run not found"],
  ] as const) {
    const { meaning, message } = await attemptOnce(t, mastra, engine, { entry: { ...entry, ...change } });
    assert.deepEqual([meaning, message], ["later", says]);
  }
});

void test("an answer means what the page about Mastra says", async (t) => {
  const engine = await startMastra(t);
  const meanings: Record<Meaning, number[]> = {
    done: [],
    done_already: [],
    gone: [400, 405, 413, 422],
    later: [200, 404, 408, 409, 429, 500, 502, 503, 504],
    refused: [401, 403],
  };
  for (const [meaning, statuses] of Object.entries(meanings))
    for (const status of statuses) {
      engine.script.push({ status, body: { error: "A reason." } });
      const found = await attemptOnce(t, mastra, engine, await engine.wait());
      assert.deepEqual([status, found.meaning], [status, meaning]);
      if ([400, 401, 403, 404, 409, 500].includes(status))
        assert.equal(found.message, `Mastra answered ${status}: A reason.`);
    }
});

void test("an answer is stored without the steps of the run", async (t) => {
  const engine = await startMastra(t);
  const waiting = await engine.wait();
  for (const means of ["done", "done_already"]) {
    const { meaning, answer } = await attemptOnce(t, mastra, engine, waiting);
    assert.deepEqual([meaning, answer?.status, answer?.body], [means, 200, ""]);
  }
});

void test("a wrong token is refused, and nothing goes on", async (t) => {
  const engine = await startMastra(t);
  for (const secret of [null, "wrong"]) {
    const waiting = await engine.wait();
    const { meaning, message, answer } = await attemptOnce(
      t,
      mastra,
      { connection: { ...engine.connection, secret } },
      waiting,
    );
    assert.deepEqual([meaning, message], ["refused", "Mastra answered 401: Invalid or expired token"]);
    assert.ok(!JSON.stringify([message, answer]).includes("wrong"));
    assert.deepEqual(waiting.received, []);
  }
});

void test("an answer that is not that of a Mastra server is tried again", async (t) => {
  const engine = await startMastra(t);
  const { entry } = await engine.wait();
  for (const body of ["<html>", "[]", '{"status":"suspended"}', '{"status":1,"steps":{}}']) {
    const attempt = {
      id: "dlv_1",
      task_id: TASK,
      address: entry,
      connection: engine.connection,
      value: "null",
      outcome: OUTCOME,
      now: 0,
      wasCutOff: async () => true,
    };
    const { meaning } = await mastra.resume(attempt, async () => ({ status: 200, headers: {}, body }));
    assert.equal(meaning, "later");
  }
});

for (const prefix of ["", "agents/v1"])
  void test(`a server with the prefix "/${prefix}" is resumed there`, async (t) => {
    const engine = await startMastra(t, { prefix });
    assert.equal(mastra.connection!.checkAddress!(engine.connection.address, null), null);
    const waiting = await engine.wait();
    assert.equal((await attemptOnce(t, mastra, engine, waiting)).meaning, "done");
    assert.equal((await probeOnce(t, mastra, engine.connection)).ok, true);
  });

void test("an entry and a connection have no parts that lead to another path", () => {
  const check = (entry: Record<string, unknown>) => mastra.checkAddress!(entry)?.path ?? null;
  const entry = { workflow_id: "refund", run_id: "order/17" };
  assert.equal(check(entry), null);
  assert.equal(check({ ...entry, workflow_id: ".." }), "/workflow_id");
  assert.equal(check({ ...entry, run_id: "." }), "/run_id");
  assert.equal(check({ ...entry, for_each_index: 0 }), "/for_each_index");
  assert.equal(check({ ...entry, step: "approve", for_each_index: 0 }), null);
  const { checkAddress } = mastra.connection!;
  assert.equal(checkAddress!({ url: "http://localhost:4111", api_prefix: "/api/../admin" }, null)?.path, "/api_prefix");
});

void test("a probe says whether the server is there, and accepts the token", async (t) => {
  const engine = await startMastra(t);
  const { address, secret } = engine.connection;
  const probe = async (changes: object, token = secret) =>
    probeOnce(t, mastra, { address: { ...address, ...changes }, secret: token });
  assert.deepEqual(await probe({}), { ok: true, detail: "The server answers, and accepts the token." });
  assert.deepEqual(await probe({}, "wrong"), { ok: false, detail: "Mastra answered 401: Invalid or expired token" });
  assert.deepEqual(await probe({ api_prefix: "/other" }), { ok: false, detail: "Mastra answered 404." });
  assert.deepEqual(
    await mastra.connection!.probe(engine.connection, async () => ({ status: 200, headers: {}, body: "<html>" }), 0),
    { ok: false, detail: "Mastra answered 200, but not with its workflows." },
  );
  await engine.close();
  await assert.rejects(probe({}), { name: "NotAnswered" });
});
