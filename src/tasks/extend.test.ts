import assert from "node:assert/strict";
import { pino } from "pino";
import { person } from "../../test/support/people.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { MINUTE } from "../lib/time.ts";
import { DEADLINE_HINT } from "./move.ts";
import type { AuditEntryRecord, TaskRecord } from "./schema.ts";
import { extendTask } from "./tasks.ts";
import { startDeadlines, timeOutDueTasks } from "./timeouts.ts";

const extend = ({ call }: Pick<TestService, "call">, id: string, timeout_seconds: unknown) =>
  call<TaskRecord & { error_code: string; details: { path: string }[] }>("PATCH", `/api/tasks/${id}`, {
    body: { timeout_seconds },
  });

const statusOf = async ({ call }: TestService, id: string) =>
  (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body.status;

async function trailOf({ call }: TestService, id: string): Promise<AuditEntryRecord[]> {
  return (await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`)).body;
}

testOnBoth("a task with a new deadline can be answered until then, and ends at it", async (service) => {
  const { id, created_at } = await service.create({ timeout_seconds: 600 });
  service.clock.advance(9 * MINUTE);
  const { status, body } = await extend(service, id, 1200);
  assert.equal(status, 200);
  assert.equal(body.timeout_seconds, 1200);
  assert.equal(Date.parse(body.timeout_at) - Date.parse(created_at), 20 * MINUTE);
  service.clock.advance(10 * MINUTE);
  await timeOutDueTasks(service.ctx);
  assert.equal(await statusOf(service, id), "created");
  service.clock.advance(MINUTE);
  await timeOutDueTasks(service.ctx);
  assert.equal(await statusOf(service, id), "timed_out");
});

testOnBoth("the trail says what the deadline was and who changed it, once for the same value", async (service) => {
  const operator = await person(service, { email: "op@example.com", is_operator: true });
  const { id } = await service.create({ timeout_seconds: 600, redact_payload: true });
  for (let times = 0; times < 2; times++) assert.equal((await extend(operator, id, 1200)).status, 200);
  const [, entry, ...more] = await trailOf(service, id);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [entry?.action, entry?.from_status, entry?.to_status, entry?.actor_email, entry?.extra],
    ["extended", "created", "created", "op@example.com", { timeout_seconds: 1200, previous_timeout_seconds: 600 }],
  );
});

testOnBoth("the same deadline that many set at once is one change", async (service) => {
  const { id } = await service.create({ timeout_seconds: 600 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => extend(service, id, 1200)));
  assert.ok(answers.every(({ status, body }) => status === 200 && body.timeout_seconds === 1200));
  assert.deepEqual(
    (await trailOf(service, id)).map(({ action }) => action),
    ["created", "extended"],
  );
});

testOnBoth("a deadline may be shortened, but not into the past; a wrong one changes nothing", async (service) => {
  const { id } = await service.create({ timeout_seconds: 3600 });
  assert.equal((await extend(service, id, 600)).body.timeout_seconds, 600);
  service.clock.advance(2 * MINUTE);
  for (const [seconds, status, code] of [
    [120, 422, "VALIDATION_FAILED"],
    [59, 422, "VALIDATION_FAILED"],
    [2_592_001, 422, "VALIDATION_FAILED"],
    ["600", 400, "MALFORMED_REQUEST"],
    [null, 400, "MALFORMED_REQUEST"],
    [undefined, 400, "MALFORMED_REQUEST"],
  ] as const) {
    const refused = await extend(service, id, seconds);
    assert.deepEqual([refused.status, refused.body.error_code], [status, code], String(seconds));
    assert.equal(refused.body.details[0]?.path, "/timeout_seconds");
  }
  assert.equal((await trailOf(service, id)).length, 2);
});

testOnBoth("a closed task, and one past its deadline, has no new deadline", async (service) => {
  const cancelled = await service.create();
  await service.call("POST", `/api/tasks/${cancelled.id}/cancel`);
  const late = await service.create({ timeout_seconds: 60 });
  service.clock.advance(MINUTE);
  for (const { id } of [cancelled, late])
    for (const seconds of [60, 3600, 7200]) {
      const { status, body } = await extend(service, id, seconds);
      assert.deepEqual([status, body.error_code], [409, "TASK_ALREADY_TERMINAL"]);
    }
  assert.equal((await extend(service, "tsk_nothing", 3600)).status, 404);
});

testOnBoth("only operators and the admin token move a deadline", async (service) => {
  const dana = await person(service, { email: "dana@example.com" });
  const { id } = await service.create({ assign_to: { user_id: dana.user.id } });
  assert.equal((await extend(dana, id, 7200)).status, 403);
});

testOnBoth("a replay with the first or the current deadline is no mismatch", async (service) => {
  const fields = { idempotency_key: "the-same", timeout_seconds: 600 };
  const { id } = await service.create(fields);
  await extend(service, id, 1200);
  await extend(service, id, 1800);
  const mismatchOf = async (timeout_seconds: number) => {
    const body = { ...newTaskBody(fields), timeout_seconds };
    return (await service.call("POST", "/api/tasks", { body })).headers["idempotent-mismatch"];
  };
  assert.deepEqual(
    [await mismatchOf(600), await mismatchOf(1800), await mismatchOf(1200)],
    [undefined, undefined, "true"],
  );
});

testOnBoth(
  "a new deadline comes with the answer that was rejected while it was set",
  async (service) => {
    const verifier_config = { provider: "openai", instructions: "Look closely." };
    const { id } = await service.create({ timeout_seconds: 600, verifier_config });
    const { db } = service.ctx;
    let isRead = false;
    const run: typeof db.run = async (...statement) => {
      const rows = await db.run(...statement);
      if (isRead) return rows;
      isRead = true;
      await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: false } } });
      return rows;
    };
    const changing = new Proxy(db, { get: (real, name) => (name === "run" ? run : Reflect.get(real, name)) });
    const ctx = { ...service.ctx, db: changing };
    const task = await extendTask(ctx, { kind: "admin" }, id, 1200);
    assert.deepEqual([task.status, task.rejected_response], ["rejected", '{"approved":false}']);
  },
  { verify: async () => ({ passed: false, reason: "not approved" }) },
);

testOnBoth("pages that are open hear of a new deadline, and a poll goes on", async (service) => {
  const { id } = await service.create({ timeout_seconds: 600 });
  const heard: string[] = [];
  service.ctx.db.hints.listen((hint) => void heard.push(hint));
  const poll = service.call<TaskRecord>("GET", `/api/tasks/${id}/poll?timeout=50`);
  await extend(service, id, 1200);
  assert.ok(heard.includes(`task:${id}`));
  await service.call("POST", `/api/tasks/${id}/cancel`);
  assert.equal((await poll).body.status, "cancelled");
});

testOnBoth("a deadline that is moved near wakes the sweep, which sleeps until the next one", async (service, t) => {
  const { db } = service.ctx;
  const ended = (id: string): Promise<void> =>
    new Promise((resolve) => {
      const unlisten = db.hints.listen((hint) => {
        if (hint !== `task:${id}`) return;
        unlisten();
        resolve();
      });
    });
  const [first, second] = [
    await service.create({ timeout_seconds: 60 }),
    await service.create({ timeout_seconds: 120 }),
  ];
  const heard: string[] = [];
  db.hints.listen((hint) => void heard.push(hint));
  await extend(service, second.id, 180);
  assert.ok(heard.includes(DEADLINE_HINT));
  service.clock.advance(MINUTE);
  // The sweep looks again when it is woken, and at no other time.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const isFirst = ended(first.id);
  const sweep = startDeadlines({ db, subscriptions: service.ctx.subscriptions, log: pino({ enabled: false }) });
  try {
    await isFirst;
    service.clock.advance(2 * MINUTE);
    const isSecond = ended(second.id);
    db.hints.publish([DEADLINE_HINT]);
    await isSecond;
    assert.equal(await statusOf(service, second.id), "timed_out");
  } finally {
    t.mock.timers.reset();
    await sweep.stop();
  }
});
