import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Mastra } from "@mastra/core/mastra";
import { SimpleAuth } from "@mastra/core/server";
import { InMemoryStore } from "@mastra/core/storage";
import { createStep, createWorkflow, type AnyWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import { mastra as kind } from "../src/resume/kinds/mastra.ts";
import { attemptOnce, OUTCOME, probeOnce } from "../test/support/engines/attempt.ts";
import { attemptUntilSettled } from "../test/support/engines/until-settled.ts";
import { serveMastra, TOKENS } from "./support/mastra.ts";

const TASK = OUTCOME.task_id;
const ANY = { inputSchema: z.any(), outputSchema: z.any() };

/** What steps were resumed with. */
type Received = { id: string; data: unknown }[];

/** Returns a step that waits for a task, which its input may name. */
const waits = (received: Received, id: string, task = TASK) =>
  createStep({
    id,
    ...ANY,
    execute: async ({ inputData, resumeData, suspend }) => {
      const named = (inputData as { task?: string } | undefined)?.task ?? task;
      if (resumeData === undefined) return suspend({ taskId: named });
      received.push({ id: `${id} ${named}`, data: resumeData });
      return {};
    },
  });

const ITEMS = [{ task: "tsk_2" }, { task: TASK }];
const workflow = (id = "main") => createWorkflow({ id, ...ANY });

/** Serves a workflow, with a run that waits. */
async function begin(t: TestContext, make: (received: Received) => AnyWorkflow) {
  const received: Received = [];
  const main = make(received);
  const mastra = new Mastra({
    workflows: { [main.id]: main },
    storage: new InMemoryStore(),
    logger: false,
    server: { auth: new SimpleAuth({ tokens: TOKENS }) },
  });
  const server = await serveMastra(t, mastra);
  const run_id = "order/17 ä";
  const run = await mastra.getWorkflowById("main").createRun({ runId: run_id });
  assert.equal((await run.start({ inputData: {} })).status, "suspended");
  const waiting = { entry: { workflow_id: "main", run_id } };
  const attempt = async (id = "dlv_1", task_id = TASK, wasCutOff = false) => {
    const outcome = { ...OUTCOME, task_id };
    return (await attemptOnce(t, kind, server, waiting, { id, outcome, wasCutOff })).meaning;
  };
  const post = async (route: string, body: object) => {
    const { url } = server.connection.address;
    const response = await fetch(`${url}/api/workflows/main/${route}?runId=${encodeURIComponent(run_id)}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${server.connection.secret}` },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  return { server, received, waiting, attempt, post, run_id };
}

void test("Mastra's own server: a step goes on once, and the next one of its run keeps waiting", async (t) => {
  const { server, received, attempt } = await begin(t, (all) =>
    workflow()
      .then(waits(all, "first"))
      .then(waits(all, "second", "tsk_2"))
      .commit(),
  );
  assert.deepEqual(await probeOnce(t, kind, server.connection), {
    ok: true,
    detail: "The server answers, and accepts the token.",
  });
  assert.equal(await attempt(), "done");
  assert.equal(await attempt(), "done_already");
  assert.equal(await attempt("dlv_1", TASK, true), "done_already");
  assert.deepEqual(received, [{ id: `first ${TASK}`, data: OUTCOME }]);
  assert.equal(await attempt("dlv_2", "tsk_2"), "done");
  assert.equal(await attempt("dlv_2", "tsk_2"), "done_already");
  assert.equal(await attempt("dlv_3", "tsk_3"), "gone");
  assert.equal(received.length, 2);
});

/** Each waits for the task in one of several places. */
const SHAPES: Record<string, { id: string; make: (all: Received) => AnyWorkflow }> = {
  "one of two parallel steps": {
    id: `right ${TASK}`,
    make: (all) =>
      workflow()
        .parallel([waits(all, "left", "tsk_2"), waits(all, "right")])
        .commit(),
  },
  "an item of a foreach": {
    id: `each ${TASK}`,
    make: (all) =>
      workflow()
        .map(async () => ITEMS)
        .foreach(waits(all, "each"), { concurrency: 2 })
        .commit(),
  },
  "a step of a nested workflow": {
    id: `right ${TASK}`,
    make: (all) => {
      const steps = [waits(all, "left", "tsk_2"), waits(all, "right")] as const;
      return workflow()
        .then(workflow("inner").parallel(steps).commit() as never)
        .then(waits(all, "next", "tsk_3"))
        .commit();
    },
  },
};

for (const [name, { id, make }] of Object.entries(SHAPES))
  void test(`Mastra's own server: ${name} goes on alone, once`, async (t) => {
    const { received, attempt } = await begin(t, make);
    assert.equal(await attempt(), "done");
    assert.equal(await attempt("dlv_1", TASK, true), "done_already");
    assert.deepEqual(received, [{ id, data: OUTCOME }]);
    assert.equal(await attempt("dlv_2", "tsk_2"), "done");
    assert.equal(received.length, 2);
  });

void test("Mastra's own server: a loop that asks again is not answered with the last answer", async (t) => {
  let turns = 0;
  const { received, waiting, attempt } = await begin(t, (all) => {
    const turn = createStep({
      id: "turn",
      ...ANY,
      execute: async ({ resumeData, suspend }) => {
        if (resumeData === undefined) return suspend({});
        all.push({ id: "turn", data: resumeData });
        return {};
      },
    });
    return workflow()
      .dountil(turn, async () => ++turns === 3)
      .commit();
  });
  Object.assign(waiting.entry, { step: "turn" });
  assert.equal(await attempt(), "done");
  assert.equal(await attempt("dlv_1", TASK, true), "done_already");
  assert.equal(received.length, 1);
  assert.equal(await attempt("dlv_2", "tsk_2"), "done");
  assert.equal(received.length, 2);
});

/** What Mastra resumes for the item of the task, and why nothing is sent as long as both wait. */
const MIXED_UP = {
  "a foreach in a nested workflow": {
    step: ["many", "each"],
    received: ["each tsk_2", `each ${TASK}`],
    make: (all: Received) => {
      const many = workflow("many")
        .map(async () => ITEMS)
        .foreach(waits(all, "each"), { concurrency: 2 })
        .commit();
      return workflow()
        .then(many as never)
        .commit();
    },
  },
  "a foreach of nested workflows": {
    step: ["inner"],
    received: ["nested tsk_2"],
    make: (all: Received) => {
      const inner = workflow("inner").then(waits(all, "nested")).commit();
      return workflow()
        .map(async () => ITEMS)
        .foreach(inner as never, { concurrency: 2 })
        .commit();
    },
  },
};

for (const [name, { step, received: mixed, make }] of Object.entries(MIXED_UP)) {
  void test(`Mastra's own server mixes up the items of ${name}, so none of them is resumed`, async (t) => {
    const { received, attempt, post } = await begin(t, make);
    assert.equal(await attempt(), "gone");
    assert.deepEqual(received, []);
    await post("resume-async", { step, forEachIndex: 1, resumeData: {} });
    assert.deepEqual(
      received.map(({ id }) => id),
      mixed,
    );
  });
}

void test("Mastra's own server: the only item that waits in a nested workflow goes on", async (t) => {
  const { received, attempt } = await begin(t, (all) => {
    const many = workflow("many")
      .map(async () => [{ task: TASK }])
      .foreach(waits(all, "each"))
      .commit();
    return workflow()
      .then(many as never)
      .commit();
  });
  assert.equal(await attempt(), "done");
  assert.equal(await attempt("dlv_1", TASK, true), "done_already");
  assert.equal(received.length, 1);
});

void test("Mastra's own server: tasks that end at the same time each resume their step once", async (t) => {
  const tasks = ["tsk_1", "tsk_2", "tsk_3"];
  const { server, received, waiting } = await begin(t, (all) =>
    workflow()
      .parallel(tasks.map((task) => waits(all, `wait-${task}`, task)))
      .commit(),
  );
  const settle = async (task_id: string) =>
    attemptUntilSettled(t, kind, server, waiting, { id: task_id, outcome: { ...OUTCOME, task_id }, max: 1000 });
  for (const meanings of await Promise.all(tasks.map(settle))) assert.equal(meanings.at(-1), "done");
  assert.deepEqual(received.map(({ id }) => id).toSorted(), [
    "wait-tsk_1 tsk_1",
    "wait-tsk_2 tsk_2",
    "wait-tsk_3 tsk_3",
  ]);
});

void test("Mastra's own server: a run that works on its answer is not resumed again", async (t) => {
  const hold = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const { received, attempt } = await begin(t, (all) => {
    const works = createStep({
      id: "works",
      ...ANY,
      execute: async () => {
        reached.resolve();
        await hold.promise;
        return {};
      },
    });
    return workflow().then(waits(all, "first")).then(works).commit();
  });
  const first = attempt();
  await reached.promise;
  assert.equal(await attempt("dlv_1", TASK, true), "later");
  hold.resolve();
  assert.equal(await first, "done");
  assert.equal(await attempt("dlv_1", TASK, true), "done_already");
  assert.equal(received.length, 1);
});

void test("Mastra's own server: what it refuses is told, unlike by the routes that answer at once", async (t) => {
  const { server, received, waiting, post, run_id } = await begin(t, (all) => {
    const strict = createStep({
      id: "strict",
      ...ANY,
      resumeSchema: z.object({ ok: z.boolean() }),
      execute: async ({ resumeData, suspend }) => {
        if (resumeData === undefined) return suspend({ taskId: TASK });
        all.push({ id: "strict", data: resumeData });
        return {};
      },
    });
    return workflow().then(strict).commit();
  });
  for (const route of ["resume", "resume-no-wait"])
    assert.equal((await post(route, { step: ["strict"], resumeData: {} })).status, 200);
  const { meaning, message } = await attemptOnce(t, kind, server, waiting);
  assert.equal(meaning, "gone");
  assert.match(message, /^Mastra answered 400: Invalid resume data: - ok: /);
  for (const entry of [
    { workflow_id: "other", run_id },
    { workflow_id: "main", run_id: "other" },
  ]) {
    const { meaning, answer } = await attemptOnce(t, kind, server, { entry });
    assert.deepEqual([meaning, answer?.status], ["later", 404]);
  }
  const wrong = { connection: { ...server.connection, secret: "wrong" } };
  assert.equal((await attemptOnce(t, kind, wrong, waiting)).meaning, "refused");
  assert.equal((await probeOnce(t, kind, wrong.connection)).ok, false);
  assert.deepEqual(received, []);
});
