import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { newConnection } from "../../test/support/connections.ts";
import { startAgUi } from "../../test/support/engines/ag-ui.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { claimDeliveries } from "../deliveries/claim.ts";
import { recordOutcome } from "../deliveries/outcomes.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import { WITH_GROUP } from "./groups.ts";

type Refused = TaskRecord & { details: { path: string }[] };

const GROUP = { group: "run-1", group_size: 3 };

/** Three interrupts of one run, and a task for each. */
async function start(t: TestContext, service: TestService) {
  const engine = await startAgUi(t);
  await newConnection(service, { ...engine.connection, name: "agent", kind: "ag-ui" });
  const waiting = await engine.waitForAll(3);
  const ask = async (i: number): Promise<string> => {
    const resume = [{ connection: "agent", ...waiting[i]!.entry, ...GROUP }];
    const answer = await service.call<TaskRecord>("POST", "/api/tasks", { body: { ...newTaskBody(), resume } });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const answer = async (id: string) => {
    const { status } = await service.call("POST", `/api/tasks/${id}/complete`, {
      body: { response: { approved: true } },
    });
    assert.equal(status, 200);
  };
  const status = async (id: string) =>
    (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.resume![0]!.status;
  return { engine, waiting, ask, answer, status };
}

async function deliver({ ctx, clock }: TestService): Promise<void> {
  for (let i = 0; i < 4; i++) {
    clock.advance(1_000);
    await ctx.deliveries.turn();
    await ctx.deliveries.settle();
  }
}

testOnBoth("the last task of a group that ends resumes it, with the answers of all", async (service, t) => {
  const { waiting, ask, answer, status } = await start(t, service);
  const counts = () => waiting.map(({ received }) => received.length);
  const [first, second] = [await ask(0), await ask(1)];
  await answer(first);
  await answer(second);
  await deliver(service);
  assert.deepEqual([counts(), await status(first)], [[0, 0, 0], "pending"]);
  const third = await ask(2);
  await deliver(service);
  assert.deepEqual(counts(), [0, 0, 0]);
  await service.call("POST", `/api/tasks/${third}/cancel`);
  await deliver(service);
  assert.deepEqual(counts(), [1, 1, 1]);
  assert.deepEqual(await Promise.all([first, second, third].map(status)), ["done", "done", "done"]);
  await deliver(service);
  assert.deepEqual(counts(), [1, 1, 1]);
});

testOnBoth("tasks of a group that end at the same moment resume it once", async (service, t) => {
  const { waiting, ask, answer, status } = await start(t, service);
  const ids = await Promise.all([0, 1, 2].map(ask));
  await Promise.all(ids.map(answer));
  await deliver(service);
  assert.deepEqual(
    waiting.map(({ received }) => received.length),
    [1, 1, 1],
  );
  assert.deepEqual(await Promise.all(ids.map(status)), ["done", "done", "done"]);
});

/** The outcome of an attempt that found that a task of the group is open. */
const LEFT_TO_ANOTHER = {
  status: "SUCCEEDED",
  next_attempt_at: null,
  started_at: 0,
  duration_ms: 0,
  ended_at: 0,
  status_code: null,
  error: null,
  response_excerpt: null,
  meaning: WITH_GROUP,
} as const;

testOnBoth("the last open task of a group may be deleted: the others resume once", async (service, t) => {
  const { waiting, ask, answer, status } = await start(t, service);
  const [first, second, third] = [await ask(0), await ask(1), await ask(2)];
  await answer(first);
  await answer(second);
  await deliver(service);
  assert.deepEqual(await Promise.all([first, second].map(status)), ["pending", "pending"]);
  await service.call("DELETE", `/api/tasks/${third}`);
  await deliver(service);
  assert.deepEqual(
    waiting.map(({ received }) => received.map((one) => (one as { status: string }).status)),
    [["resolved"], ["resolved"], ["cancelled"]],
  );
  assert.deepEqual(await Promise.all([first, second].map(status)), ["done", "done"]);
});

testOnBoth("an attempt that has read that the task is open is made again after the deletion", async (service, t) => {
  const { waiting, ask, answer, status } = await start(t, service);
  const { ctx, clock } = service;
  const [first, second, third] = [await ask(0), await ask(1), await ask(2)];
  await service.call("DELETE", `/api/tasks/${second}`);
  await answer(first);
  // Another process makes the attempt.
  clock.advance(1_000);
  const due = await ctx.db.query.selectFrom("deliveries").select(["id", "home"]).where("task_id", "=", first).execute();
  const lease = { owner: "another", until: clock.now() + 30_000 };
  const [claimed] = await claimDeliveries(ctx.db, { due, held: [] }, lease);
  await service.call("DELETE", `/api/tasks/${third}`);
  const attempt = { ...claimed!, lease_owner: lease.owner };
  const isWritten = await ctx.db.write((tx) => recordOutcome(tx, attempt, LEFT_TO_ANOTHER));
  await deliver(service);
  assert.deepEqual([isWritten, waiting[0]!.received.length, await status(first)], [false, 1, "done"]);
});

testOnBoth("a task that resumes its group may be deleted before that has succeeded", async (service, t) => {
  const { engine, waiting, ask, answer, status } = await start(t, service);
  const [first, second, third] = [await ask(0), await ask(1), await ask(2)];
  await answer(first);
  await answer(second);
  await deliver(service);
  engine.script.push({ status: 503 });
  await answer(third);
  await service.ctx.deliveries.turn();
  await service.ctx.deliveries.settle();
  await service.call("DELETE", `/api/tasks/${third}`);
  await deliver(service);
  assert.deepEqual([waiting[2]!.received.length, await status(first), await status(second)], [1, "done", "done"]);
});

testOnBoth("a task that was deleted counts as cancelled, and a group stands once in a task", async (service, t) => {
  const { waiting, ask, answer } = await start(t, service);
  const [first, second, third] = [await ask(0), await ask(1), await ask(2)];
  await service.call("DELETE", `/api/tasks/${first}`);
  await answer(second);
  await answer(third);
  await deliver(service);
  assert.deepEqual(
    waiting.map(({ received }) => received.length),
    [1, 1, 1],
  );
  const entry = { connection: "agent", ...waiting[0]!.entry, ...GROUP };
  const { status, body } = await service.call<Refused>("POST", "/api/tasks", {
    body: { ...newTaskBody(), resume: [entry, { ...entry, interrupt_id: "another" }] },
  });
  assert.deepEqual([status, body.details[0]!.path], [422, "/resume/1"]);
});
