import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";
import { actionTask } from "../../test/support/actions.ts";
import { person } from "../../test/support/people.ts";
import { startTestService, testOnBoth, type TestService } from "../../test/support/service.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import { startEscalation, takeDueSteps } from "./escalating.ts";
import { timeOutDueTasks } from "./timeouts.ts";
import type { AuditEntryRecord, ListedTask, TaskRecord } from "./schema.ts";

const HOUR_SECONDS = 3600;

async function read({ call }: TestService, id: string): Promise<TaskRecord> {
  return (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
}

async function escalated({ call }: TestService, id: string): Promise<AuditEntryRecord[]> {
  const { body } = await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  return body.filter(({ action }) => action === "escalated");
}

testOnBoth("each step happens once when its time has come, and the record says what comes next", async (service) => {
  const { clock, ctx, create } = service;
  const { id, created_at } = await create({
    timeout_seconds: HOUR_SECONDS,
    escalation: [
      { after: { fraction: 0.5 }, do: "raise" },
      { after: 600, do: "remind" },
    ],
  });
  const at = (seconds: number) => new Date(Date.parse(created_at) + seconds * SECOND).toISOString();
  const planned = [
    { step: 1, do: "raise", after: { fraction: 0.5 }, calendar: null, to: null, at: at(1800), done_at: null },
    { step: 2, do: "remind", after: 600, calendar: null, to: null, at: at(600), done_at: null },
  ];
  assert.deepEqual((await read(service, id)).escalation, planned);
  const listed = async () => (await service.call<ListedTask[]>("GET", "/api/tasks")).body[0]!;
  assert.deepEqual((await listed()).next_step, { do: "remind", at: at(600) });

  clock.advance(599 * SECOND);
  assert.equal(await takeDueSteps(ctx), 0);
  clock.advance(1 * SECOND);
  assert.equal(await takeDueSteps(ctx), 1);
  assert.equal(await takeDueSteps(ctx), 0);
  assert.deepEqual((await listed()).next_step, { do: "raise", at: at(1800) });
  assert.equal((await listed()).urgent, false);

  clock.advance(1200 * SECOND);
  assert.equal(await takeDueSteps(ctx), 1);
  const after = await read(service, id);
  assert.deepEqual(
    after.escalation.map(({ done_at }) => done_at),
    [at(1800), at(600)],
  );
  assert.equal(after.urgent, true);
  assert.equal((await listed()).next_step, null);
  assert.deepEqual(
    (await escalated(service, id)).map(({ actor_type, extra }) => ({ actor_type, extra })),
    [
      { actor_type: "system", extra: { step: 2, do: "remind" } },
      { actor_type: "system", extra: { step: 1, do: "raise" } },
    ],
  );
});

testOnBoth("steps that were missed happen together, in the order of their times, and remind once", async (service) => {
  const { clock, ctx, create } = service;
  const { id } = await create({
    timeout_seconds: HOUR_SECONDS,
    escalation: [
      { after: 30, do: "raise" },
      { after: 10, do: "remind" },
      { after: 20, do: "remind" },
    ],
  });
  clock.advance(60 * SECOND);
  assert.equal(await takeDueSteps(ctx), 1);
  assert.deepEqual(
    (await escalated(service, id)).map(({ extra }) => extra?.["step"]),
    [2, 3, 1],
  );
});

testOnBoth("a closed task, and one whose time is up, takes no more steps", async (service) => {
  const { clock, ctx, create, call } = service;
  const escalation = [{ after: 60, do: "raise" as const }];
  const answered = await create({ timeout_seconds: HOUR_SECONDS, escalation });
  const late = await create({ timeout_seconds: 120, escalation });
  await call("POST", `/api/tasks/${answered.id}/complete`, { body: { response: { approved: true } } });
  clock.advance(120 * SECOND);
  await takeDueSteps(ctx);
  for (const { id } of [answered, late]) {
    assert.equal((await read(service, id)).urgent, false);
    assert.deepEqual(await escalated(service, id), []);
  }
});

testOnBoth("several processes that look at once let each step happen once", async (service) => {
  const ids: string[] = [];
  for (let i = 0; i < 20; i++)
    ids.push((await service.create({ escalation: [{ after: 60, do: "raise" }], idempotency_key: `one of ${i}` })).id);
  service.clock.advance(60 * SECOND);
  const counts = await Promise.all(Array.from({ length: 4 }, () => takeDueSteps(service.ctx, 7)));
  counts.push(await takeDueSteps(service.ctx));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    20,
  );
  for (const id of ids) assert.equal((await escalated(service, id)).length, 1);
});

testOnBoth("a clock that is set back repeats no step, and what is left waits for its time", async (service) => {
  const { id, created_at } = await service.create({
    timeout_seconds: HOUR_SECONDS,
    escalation: [
      { after: 60, do: "remind" },
      { after: 120, do: "raise" },
    ],
  });
  service.clock.advance(100 * SECOND);
  await takeDueSteps(service.ctx);
  service.clock.advance(-80 * SECOND);
  assert.equal(await takeDueSteps(service.ctx), 0);
  service.clock.advance(100 * SECOND);
  assert.equal(await takeDueSteps(service.ctx), 1);
  assert.deepEqual(
    (await read(service, id)).escalation.map(({ done_at }) => (Date.parse(done_at!) - Date.parse(created_at)) / SECOND),
    [100, 120],
  );
  assert.equal((await escalated(service, id)).length, 2);
});

testOnBoth("a step offers the task to more people, and its assignee stays one of them", async (service) => {
  const [ada, ben] = [await person(service), await person(service, { pool: "finance" })];
  const { id } = await service.create({
    assign_to: { user_id: ada.user.id },
    escalation: [{ after: 60, do: "offer", to: { pool: "finance" } }],
  });
  const listed = async ({ call }: typeof ada) => (await call<ListedTask[]>("GET", "/api/tasks")).body.length;
  assert.equal(await listed(ben), 0);
  service.clock.advance(60 * SECOND);
  await takeDueSteps(service.ctx);
  assert.deepEqual([await listed(ada), await listed(ben)], [1, 1]);
  const { assigned_to_user_id } = await read(service, id);
  assert.equal(assigned_to_user_id, null);
  const done = await ben.call<TaskRecord>("POST", `/api/tasks/${id}/complete`, {
    body: { response: { approved: true } },
  });
  assert.equal(done.body.completed_by_user_id, ben.user.id);
});

testOnBoth("a step offers the task to a single person, by id or by address", async (service) => {
  const [ada, ben, cy] = [await person(service), await person(service), await person(service)];
  const outsider = "outside@example.com";
  const { id } = await service.create({
    assign_to: { user_id: ada.user.id },
    escalation: [
      { after: 60, do: "offer", to: { user_id: ben.user.id } },
      { after: 61, do: "offer", to: { email: cy.user.email } },
      { after: 62, do: "offer", to: { email: "Outside@example.com" } },
    ],
  });
  service.clock.advance(62 * SECOND);
  await takeDueSteps(service.ctx);
  assert.deepEqual(
    (await escalated(service, id)).map(({ extra }) => extra?.["candidates"]),
    [[ben.user.id], [cy.user.id], [outsider]],
  );
  for (const { call } of [ada, ben, cy]) assert.equal((await call("GET", `/api/tasks/${id}`)).status, 200);
});

testOnBoth("who works on a task keeps it while a step offers it to others, until their claim ends", async (service) => {
  const [ada, ben] = [await person(service), await person(service, { pool: "finance" })];
  const { id } = await service.create({
    timeout_seconds: HOUR_SECONDS,
    assign_to: { user_id: ada.user.id },
    escalation: [{ after: 60, do: "offer", to: { pool: "finance" } }],
  });
  service.clock.advance(59 * SECOND);
  await ada.call("POST", `/api/tasks/${id}/claim`, { body: {} });
  service.clock.advance(1 * SECOND);
  await takeDueSteps(service.ctx);
  assert.equal((await read(service, id)).assigned_to_user_id, ada.user.id);
  await ada.call("POST", `/api/tasks/${id}/release`);
  assert.equal((await read(service, id)).assigned_to_user_id, null);
  assert.equal((await ben.call<ListedTask[]>("GET", "/api/tasks")).body.length, 1);
});

testOnBoth("a step assigns the task to one person of a pool, and no longer to the one before", async (service) => {
  const [ada, ben] = [await person(service), await person(service, { pool: "finance" })];
  const { id } = await service.create({
    assign_to: { user_id: ada.user.id },
    escalation: [{ after: 60, do: "assign", to: { pool: "finance" } }],
  });
  service.clock.advance(60 * SECOND);
  await takeDueSteps(service.ctx);
  assert.equal((await read(service, id)).assigned_to_user_id, ben.user.id);
  assert.equal((await ada.call("GET", `/api/tasks/${id}`)).status, 403);
  assert.deepEqual((await escalated(service, id))[0]!.extra, {
    step: 1,
    do: "assign",
    by: "role",
    assigned_to_user_id: ben.user.id,
    assigned_to_email: ben.user.email,
  });
});

testOnBoth("what a step assigns to one person is no longer on offer to the others", async (service) => {
  const [ada, ben] = [await person(service, { pool: "finance" }), await person(service, { pool: "finance" })];
  await service.create({
    assign_to: { pool: "finance" },
    escalation: [{ after: 60, do: "assign", to: { user_id: ben.user.id } }],
  });
  const seenBy = async ({ call }: typeof ada) => (await call<ListedTask[]>("GET", "/api/tasks")).body.length;
  assert.deepEqual([await seenBy(ada), await seenBy(ben)], [1, 1]);
  service.clock.advance(60 * SECOND);
  await takeDueSteps(service.ctx);
  assert.deepEqual([await seenBy(ada), await seenBy(ben)], [0, 1]);
});

testOnBoth("a step that finds no one leaves the task as it is, and the trail says so", async (service) => {
  const ada = await person(service);
  for (const kind of ["offer", "assign"] as const) {
    const { id } = await service.create({
      idempotency_key: kind,
      assign_to: { user_id: ada.user.id },
      escalation: [{ after: 60, do: kind, to: { pool: "no one" } }],
    });
    service.clock.advance(60 * SECOND);
    await takeDueSteps(service.ctx);
    assert.equal((await read(service, id)).assigned_to_user_id, ada.user.id);
    assert.deepEqual((await escalated(service, id))[0]!.extra, { step: 1, do: kind, unmatched: true });
  }
});

testOnBoth("a share of the open time of a calendar that is closed until the deadline never passes", async (service) => {
  // The clock shows a Saturday.
  const hours = { mon: [["09:00", "17:00"]] };
  await service.call("PUT", "/api/calendars/office", { body: { time_zone: "UTC", hours } });
  const { id, escalation, timeout_at } = await service.create({
    timeout_seconds: HOUR_SECONDS,
    escalation: [{ after: { fraction: 0.5 }, calendar: "office", do: "raise" }],
  });
  assert.equal(escalation[0]!.at, timeout_at);
  await takeDueSteps(service.ctx);
  assert.equal((await read(service, id)).urgent, false);
});

testOnBoth(
  "a step is not done before the change that came before it, also if the clock was set back",
  async (service) => {
    const ada = await person(service);
    const { id } = await service.create({ timeout_seconds: HOUR_SECONDS, escalation: [{ after: 60, do: "raise" }] });
    service.clock.advance(70 * SECOND);
    const { body } = await service.call<TaskRecord>("POST", `/api/tasks/${id}/assign`, {
      body: { user_id: ada.user.id },
    });
    service.clock.advance(-5 * SECOND);
    await takeDueSteps(service.ctx);
    const after = await read(service, id);
    assert.deepEqual([after.escalation[0]!.done_at, after.updated_at], [body.updated_at, body.updated_at]);
  },
);

testOnBoth("a claim that has ended keeps the task from no one, also before it is taken back", async (service) => {
  const [ada, ben] = [await person(service), await person(service, { pool: "finance" })];
  const { id } = await service.create({
    timeout_seconds: HOUR_SECONDS,
    assign_to: { user_id: ada.user.id },
    escalation: [{ after: 660, do: "offer", to: { pool: "finance" } }],
  });
  await ada.call("POST", `/api/tasks/${id}/claim`, { body: {} });
  service.clock.advance(11 * MINUTE);
  await takeDueSteps(service.ctx);
  assert.equal((await read(service, id)).assigned_to_user_id, null);
  assert.equal((await ben.call<ListedTask[]>("GET", "/api/tasks")).body.length, 1);
});

testOnBoth(
  "a step that assigns a task ends the claim of another person, and keeps that of the assignee",
  async (service) => {
    const [ada, ben] = [await person(service, { pool: "finance" }), await person(service, { pool: "finance" })];
    const assignTo = async (key: string, user_id: string) => {
      const { id } = await service.create({
        timeout_seconds: HOUR_SECONDS,
        idempotency_key: key,
        assign_to: { pool: "finance" },
        escalation: [{ after: 60, do: "assign", to: { user_id } }],
      });
      await ada.call("POST", `/api/tasks/${id}/claim`, { body: {} });
      service.clock.advance(60 * SECOND);
      await takeDueSteps(service.ctx);
      const { assigned_to_user_id, claimed_by_email } = await read(service, id);
      return [assigned_to_user_id, claimed_by_email];
    };
    assert.deepEqual(await assignTo("to ben", ben.user.id), [ben.user.id, null]);
    assert.deepEqual(await assignTo("to ada", ada.user.id), [ada.user.id, ada.user.email]);
  },
);

testOnBoth("the trail of a redacted task says which step happened, and not who it was about", async (service) => {
  await person(service, { pool: "finance" });
  const { id } = await service.create({
    redact_payload: true,
    escalation: [
      { after: 60, do: "offer", to: { pool: "finance" } },
      { after: 70, do: "assign", to: { pool: "finance" } },
    ],
  });
  service.clock.advance(70 * SECOND);
  await takeDueSteps(service.ctx);
  assert.deepEqual(
    (await escalated(service, id)).map(({ extra }) => extra),
    [
      { step: 1, do: "offer" },
      { step: 2, do: "assign" },
    ],
  );
});

testOnBoth(
  "steps offer a task to no one who is excluded from it, and assign tasks of a pool in turn",
  async (service) => {
    const op = await person(service, { is_operator: true, pool: "finance" });
    const ben = await person(service, { pool: "finance" });
    const { body } = await op.call<TaskRecord>("POST", "/api/tasks", {
      body: actionTask({
        approvals: { need: 1, exclude: ["asker"] },
        escalation: [{ after: 60, do: "offer", to: { pool: "finance" } }],
      }),
    });
    service.clock.advance(60 * SECOND);
    await takeDueSteps(service.ctx);
    assert.deepEqual((await escalated(service, body.id))[0]!.extra, {
      step: 1,
      do: "offer",
      candidates: [ben.user.id],
    });

    const assignees = [];
    for (const key of ["first", "second"]) {
      const { id } = await service.create({
        idempotency_key: key,
        escalation: [{ after: 60, do: "assign", to: { pool: "finance" } }],
      });
      service.clock.advance(60 * SECOND);
      await takeDueSteps(service.ctx);
      assignees.push((await read(service, id)).assigned_to_user_id);
    }
    assert.deepEqual(new Set(assignees), new Set([op.user.id, ben.user.id]));
  },
);

testOnBoth("steps move with the deadline, and what has happened stays", async (service) => {
  const { id, created_at } = await service.create({
    timeout_seconds: 600,
    escalation: [
      { after: { fraction: 0.5 }, do: "raise" },
      { after: { fraction: 0.9 }, do: "remind" },
    ],
  });
  service.clock.advance(300 * SECOND);
  await takeDueSteps(service.ctx);
  await service.call("PATCH", `/api/tasks/${id}`, { body: { timeout_seconds: 6000 } });
  const at = (seconds: number) => new Date(Date.parse(created_at) + seconds * SECOND).toISOString();
  assert.deepEqual(
    (await read(service, id)).escalation.map(({ at: due, done_at }) => [due, done_at]),
    [
      [at(300), at(300)],
      [at(5400), null],
    ],
  );
});

testOnBoth("without an answer in time, the declared one counts", async (service) => {
  const { clock, ctx, create, call } = service;
  const response = { approved: false };
  const { id } = await create({
    timeout_seconds: 60,
    on_timeout: { response },
    callback_url: "http://127.0.0.1:9/hook",
  });
  assert.deepEqual((await read(service, id)).on_timeout, { response });
  clock.advance(60 * SECOND);
  await timeOutDueTasks(ctx);
  const task = await read(service, id);
  assert.deepEqual(
    [task.status, task.response, task.completed_by_email, task.completed_via_channel, task.decided_by],
    ["completed", response, null, "fallback", null],
  );
  const { body: trail } = await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  const { action, actor_type, channel, extra } = trail.at(-1)!;
  assert.deepEqual(
    { action, actor_type, channel, extra },
    { action: "completed", actor_type: "system", channel: "fallback", extra: { response_keys: ["approved"] } },
  );
});

testOnBoth("a declared answer about an action counts as a decision, with what is to run", async (service) => {
  const on_timeout = { response: { decision: "edit", args: { amount: 10, to: { name: "Mia" } } } };
  const { body } = await service.call<TaskRecord>("POST", "/api/tasks", {
    body: actionTask({ timeout_seconds: 60, on_timeout }),
  });
  assert.deepEqual(body.on_timeout, on_timeout);
  service.clock.advance(60 * SECOND);
  await timeOutDueTasks(service.ctx);
  assert.deepEqual((await read(service, body.id)).response, {
    ...on_timeout.response,
    patch: [{ op: "replace", path: "/amount", value: 10 }],
  });
  const again = await service.call<TaskRecord>("POST", "/api/tasks", {
    body: { ...actionTask({ timeout_seconds: 60, on_timeout }), idempotency_key: body.idempotency_key },
  });
  assert.deepEqual([again.body.id, again.headers["idempotent-mismatch"]], [body.id, undefined]);
});

testOnBoth("the steps happen by themselves, also one that is due at once", async (service) => {
  const { ctx, clock } = service;
  const escalation = startEscalation(ctx);
  const { id } = await service.create({ escalation: [{ after: 1, do: "raise" }] });
  const isRaised = new Promise<void>((resolve) => {
    ctx.db.hints.listen((hint) => {
      if (hint === `task:${id}`) resolve();
    });
  });
  clock.advance(1 * SECOND);
  await isRaised;
  assert.equal((await read(service, id)).urgent, true);
  await escalation.stop();
});

test("a step that is due soon is looked for at once, and not at the next of the regular looks", async (t) => {
  const { service, stop } = await startTestService("sqlite");
  t.after(stop);
  // Only what is told looks again.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const looks = new EventEmitter();
  const db = Object.create(service.ctx.db, {
    lookAlone: {
      value: async <T extends object>(name: string, look: () => Promise<T>) =>
        service.ctx.db.lookAlone(name, look).finally(() => setImmediate(() => looks.emit("end"))),
    },
  }) as typeof service.ctx.db;
  const first = once(looks, "end");
  const escalation = startEscalation({ ...service.ctx, db });
  await first;
  const second = once(looks, "end");
  await service.create({ escalation: [{ after: 1, do: "raise" }] });
  await second;
  await escalation.stop();
});
