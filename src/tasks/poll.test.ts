import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { PASSWORD, person } from "../../test/support/people.ts";
import { startTestService, testOnBoth, type TestService } from "../../test/support/service.ts";
import { createLocalHints } from "../db/hints.ts";
import type { Db } from "../db/database.ts";
import { signedOutHint } from "../people/sessions.ts";
import { timeOutDueTasks } from "./timeouts.ts";
import { createWaiters } from "./poll.ts";
import { ROUNDS_WHILE_HEALTHY } from "./waiting-tasks.ts";
import type { PollResult } from "./schema.ts";

const poll = (service: TestService, id: string, timeout: number | string = 30) =>
  service.call<PollResult & { error_code: string }>("GET", `/api/tasks/${id}/poll?timeout=${timeout}`);

/** Until `count` polls wait; how long that takes does not matter. */
async function untilWaiting({ ctx }: TestService, count: number): Promise<void> {
  while (ctx.waiters.count() < count) await turn();
}

testOnBoth("a poll of a task that has ended answers at once, with the outcome", async (service) => {
  const { id, idempotency_key } = await service.create();
  await service.call("POST", `/api/tasks/${id}/complete`, {
    body: { response: { approved: true }, completed_by_email: "dana@example.com", completed_via_channel: "sms" },
  });
  const answer = await poll(service, id);
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, {
    task_id: id,
    idempotency_key,
    status: "completed",
    waiting_on: null,
    version: 1,
    questions: [],
    response: { approved: true },
    completed_at: "2026-01-31T12:00:00.000Z",
    timed_out_at: null,
    completed_by_email: "dana@example.com",
    completed_via_channel: "sms",
    cancelled_at: null,
    cancelled_by: null,
    cancel_reason: null,
    asked_by: { kind: "admin", id: null, name: "admin" },
    on_behalf_of: null,
    decided_by: { kind: "admin", user_id: null, email: null, name: "admin", channel: "sms" },
    verification_attempt: 0,
    verifier_result: null,
  });
});

testOnBoth("200 polls that wait for one task all wake with its answer", async (service) => {
  const { id } = await service.create();
  const waiting = Array.from({ length: 200 }, () => poll(service, id, 60));
  await untilWaiting(service, 200);
  await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
  const answers = await Promise.all(waiting);
  assert.deepEqual(
    new Set(answers.map(({ body }) => JSON.stringify([body.status, body.response]))),
    new Set(['["completed",{"approved":true}]']),
  );
  assert.equal(service.ctx.waiters.count(), 0);
});

testOnBoth("of the polls of one person 100 wait: the oldest answers with the current state", async (service) => {
  const [dana, mia] = [await person(service, { pool: "p" }), await person(service, { pool: "p" })];
  const { id } = await service.create({ assign_to: { pool: "p" } });
  const pollAs = async (call: TestService["call"]) => call<PollResult>("GET", `/api/tasks/${id}/poll?timeout=60`);
  const others = [pollAs(mia.call), ...Array.from({ length: 110 }, () => poll(service, id, 60))];
  await untilWaiting(service, 111);
  const first = pollAs(dana.call);
  await untilWaiting(service, 112);
  const more = Array.from({ length: 99 }, () => pollAs(dana.call));
  await untilWaiting(service, 211);
  more.push(pollAs(dana.call));
  assert.deepEqual([(await first).status, (await first).body.status], [200, "created"]);
  assert.equal(service.ctx.waiters.count(), 211);
  await service.call("POST", `/api/tasks/${id}/cancel`);
  const answers = await Promise.all([...others, ...more]);
  assert.deepEqual(new Set(answers.map(({ body }) => body.status)), new Set(["cancelled"]));
});

for (const [end, act] of [
  ["cancelled", (service: TestService, id: string) => service.call("POST", `/api/tasks/${id}/cancel`)],
  [
    "timed_out",
    async (service: TestService) => {
      service.clock.advance(3_600_000);
      await timeOutDueTasks(service.ctx);
    },
  ],
] as const) {
  testOnBoth(`a waiting poll wakes when its task is ${end}`, async (service) => {
    const { id } = await service.create();
    const waiting = poll(service, id, 60);
    await untilWaiting(service, 1);
    await act(service, id);
    assert.equal((await waiting).body.status, end);
  });
}

testOnBoth(
  "a poll does not wake for a rejection, nor for another task",
  async (service) => {
    const [task, other] = [
      await service.create({ verifier_config: { provider: "openai", instructions: "x" } }),
      await service.create(),
    ];
    const waiting = poll(service, task.id, 60);
    await untilWaiting(service, 1);
    await service.call("POST", `/api/tasks/${other.id}/cancel`);
    const sentBack = await service.call<{ status: string }>("POST", `/api/tasks/${task.id}/complete`, {
      body: { response: { approved: true } },
    });
    assert.equal(sentBack.body.status, "rejected");
    for (let i = 0; i < 20; i++) await turn();
    assert.equal(service.ctx.waiters.count(), 1);
    await service.call("POST", `/api/tasks/${task.id}/cancel`);
    assert.deepEqual(
      [(await waiting).body.status, (await waiting).body.verifier_result],
      ["cancelled", { passed: false, reason: "No.", attempt: 1 }],
    );
  },
  { verify: async () => ({ passed: false, reason: "No." }) },
);

testOnBoth("a poll that has waited long enough gives the current state", async (service) => {
  const { id } = await service.create();
  for (const timeout of [0, 1]) {
    const answer = await poll(service, id, timeout);
    assert.equal(answer.status, 200);
    assert.deepEqual([answer.body.status, answer.body.response], ["created", null]);
  }
});

testOnBoth("a poll of a task that is deleted meanwhile ends with 404", async (service) => {
  const { id } = await service.create();
  const waiting = poll(service, id, 60);
  await untilWaiting(service, 1);
  await service.call("DELETE", `/api/tasks/${id}`);
  const answer = await waiting;
  assert.equal(answer.status, 404);
  assert.equal(answer.body.error_code, "TASK_NOT_FOUND");
  assert.equal((await poll(service, id)).status, 404);
});

testOnBoth("a service that stops answers waiting polls with the current state", async (service) => {
  const { id } = await service.create();
  const waiting = [poll(service, id, 60), poll(service, id, 60)];
  await untilWaiting(service, 2);
  service.ctx.waiters.stop();
  for (const answer of await Promise.all(waiting))
    assert.deepEqual([answer.status, answer.body.status], [200, "created"]);
  assert.equal((await poll(service, id, 60)).body.status, "created", "one that comes after that does not wait");
});

testOnBoth("how long to wait is checked", async (service) => {
  const { id } = await service.create();
  assert.equal((await poll(service, id, "abc")).status, 400);
  assert.equal((await poll(service, id, "")).status, 400);
  assert.equal((await poll(service, id, "1.5")).status, 400);
  assert.equal((await poll(service, id, 90)).status, 422);
  assert.equal((await poll(service, id, -1)).status, 422);
  const refused = await service.call<{ details: { path: string }[] }>("GET", `/api/tasks/${id}/poll?timeout=90`);
  assert.equal(refused.body.details[0]?.path, "/query/timeout");
});

void test("an end that is written while the task is being read is not missed", async () => {
  const reads: ((status: string) => void)[] = [];
  const hints = createLocalHints();
  const run = () =>
    new Promise((resolve) =>
      reads.push((status) => resolve([{ id: "tsk_1", status, verifier_result: null, approvals: null }])),
    );
  const waiters = createWaiters({ run, hints } as unknown as Db, (error) => assert.ifError(error));
  const wait = () => waiters.wait("tsk_1", 60_000, new AbortController().signal);
  const before = [wait(), wait()];
  assert.equal(reads.length, 1, "those who wait for the same task share a read");
  hints.publish(["task:tsk_1"]);
  const after = wait();
  assert.equal(reads.length, 2, "a read that began before the change says nothing of it");
  reads[0]!("created");
  reads[1]!("completed");
  while (waiters.count() > 0) {
    for (const answer of reads.slice(2)) answer("completed");
    await turn();
  }
  for (const task of await Promise.all([...before, after])) assert.equal(task?.status, "completed");
  assert.equal(waiters.count(), 0);
  waiters.stop();
});

testOnBoth("for whoever has left nothing is read any more", async ({ ctx, create }) => {
  const { id } = await create();
  const { run } = ctx.db;
  const first = Promise.withResolvers<void>();
  let reads = 0;
  ctx.db.run = async (statement, params) => {
    reads++;
    const rows = await run(statement, params);
    first.resolve();
    return rows;
  };
  const left = new AbortController();
  const waiting = ctx.waiters.wait(id, 60_000, left.signal);
  await first.promise;
  await turn();
  left.abort();
  assert.equal(await waiting, null);
  assert.equal(reads, 1);
});

testOnBoth("a poll that is open when its person is deactivated ends at once, and tells nothing", async (service) => {
  const dana = await person(service);
  const { id } = await service.create({ assign_to: { user_id: dana.user.id } });
  const waiting = dana.call<{ error_code: string }>("GET", `/api/tasks/${id}/poll?timeout=60`);
  await untilWaiting(service, 1);
  await service.call("DELETE", `/api/users/${dana.user.id}`);
  const { status, body } = await waiting;
  assert.deepEqual([status, body.error_code], [401, "UNAUTHENTICATED"]);
});

testOnBoth("a poll whose person left without anybody telling it is refused when it ends", async (service) => {
  const dana = await person(service);
  const { id } = await service.create({ assign_to: { user_id: dana.user.id } });
  const waiting = dana.call<{ error_code: string }>("GET", `/api/tasks/${id}/poll?timeout=60`);
  await untilWaiting(service, 1);
  // As where the hint of another process was lost.
  await service.ctx.db.write((tx) =>
    tx.query.updateTable("users").set({ active: 0 }).where("id", "=", dana.user.id).execute(),
  );
  await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
  const { status, body } = await waiting;
  assert.deepEqual([status, body.error_code], [401, "UNAUTHENTICATED"]);
});

testOnBoth("a poll in one session outlives the end of another session of the same person", async (service) => {
  const dana = await person(service, { password: PASSWORD });
  const { id } = await service.create({ assign_to: { user_id: dana.user.id } });
  const waiting = dana.call<PollResult>("GET", `/api/tasks/${id}/poll?timeout=60`);
  await untilWaiting(service, 1);
  service.ctx.db.hints.publish([signedOutHint(dana.user.id)]);
  const { status, body } = await waiting;
  assert.deepEqual([status, body.status], [200, "created"]);
});

/** Waiters beside other processes, of a database that says which ids it was asked about. */
function setupShared({ isHealthy = true } = {}) {
  const local = createLocalHints();
  const hints = { ...local, isShared: true, isHealthy: () => isHealthy };
  const asked: string[][] = [];
  const failures: unknown[] = [];
  let failure: Error | null = null;
  const run = async (_statement: unknown, params: { id?: string; ids?: string }) => {
    if (params.ids === undefined) return [{ id: params.id, status: "created", verifier_result: null, approvals: null }];
    if (failure !== null) throw failure;
    asked.push(params.ids.split(","));
    return [];
  };
  const waiters = createWaiters({ run, hints } as unknown as Db, (error) => failures.push(error));
  const wait = (id: string) => {
    const leaving = new AbortController();
    void waiters.wait(id, 60_000, leaving.signal);
    return () => leaving.abort();
  };
  return { waiters, wait, asked, failures, reset: local.reset, fail: (error: Error | null) => (failure = error) };
}

void test("whoever waits is looked at within ten rounds, while others come and leave", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { waiters, wait, asked } = setupShared();
  const staying = Array.from({ length: 50 }, (_, i) => `tsk_stays${i}`);
  const leaving: (() => void)[] = [];
  // Each that stays has several before it that leave.
  for (const id of staying) {
    for (let i = 0; i < 7; i++) leaving.push(wait(`${id}leaves${i}`));
    wait(id);
  }
  for (let i = 0; i < 5; i++) await turn();
  for (let rounds = 0; rounds < 3; rounds++) {
    asked.length = 0;
    for (let round = 0; round < ROUNDS_WHILE_HEALTHY; round++) {
      for (let i = 0; i < 11; i++) leaving.shift()?.();
      wait(`tsk_comes${rounds}${round}`);
      t.mock.timers.tick(1_000);
      for (let i = 0; i < 5; i++) await turn();
    }
    const seen = asked.flat().filter((id) => staying.includes(id));
    assert.deepEqual(seen.toSorted(), staying.toSorted(), "each once");
    const largest = Math.max(...asked.map((ids) => ids.length));
    assert.ok(largest < 80, `${largest} of about 400 in one round`);
  }
  waiters.stop();
});

void test(
  "a poll until attention ends although the hint of a question was lost (PostgreSQL)",
  { timeout: 60_000 },
  async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const { service, stop } = await startTestService("postgres");
    t.after(stop);
    const { id } = await service.create();
    const ended: string[] = [];
    const watch = async (until: string) => {
      const { body } = await service.call<PollResult>("GET", `/api/tasks/${id}/poll?timeout=60&until=${until}`);
      ended.push(`${until} ${body.waiting_on}`);
    };
    const polls = [watch("attention"), watch("end")];
    await untilWaiting(service, 2);
    await service.ctx.db.write((tx) =>
      tx.query.updateTable("tasks").set({ waiting_on: "agent" }).where("id", "=", id).execute(),
    );
    while (ended.length === 0) {
      t.mock.timers.tick(1_000);
      await turn();
    }
    assert.deepEqual(ended, ["attention agent"]);
    await service.call("POST", `/api/tasks/${id}/cancel`);
    await Promise.all(polls);
    assert.deepEqual(ended, ["attention agent", "end null"]);
  },
);

void test("everybody is looked at when hints may have been lost, and again where that look failed", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { waiters, wait, asked, failures, reset, fail } = setupShared();
  const ids = Array.from({ length: 25 }, (_, i) => `tsk_${i}`);
  for (const id of ids) wait(id);
  const settle = async () => {
    for (let i = 0; i < 5; i++) await turn();
  };
  await settle();
  reset();
  await settle();
  assert.deepEqual(asked.flat(), ids);
  fail(new Error("away"));
  reset();
  await settle();
  assert.equal(failures.length, 1);
  fail(null);
  asked.length = 0;
  t.mock.timers.tick(1_000);
  await settle();
  assert.deepEqual(asked.flat(), ids);
  waiters.stop();
});
