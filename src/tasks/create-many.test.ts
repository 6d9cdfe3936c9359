import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { newAgent } from "../../test/support/agents.ts";
import { person } from "../../test/support/people.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { ServiceError } from "../errors.ts";
import type { CreateTaskBody, CreationResult, TaskRecord } from "./schema.ts";

interface Batch {
  results: (Omit<CreationResult, "error"> & { error?: Record<string, unknown> })[];
  error_code?: string;
  details?: { path: string }[];
}

interface Event {
  type: string;
  count: number;
  actor: { id: string | null };
  details: Record<string, unknown> | null;
}

const send = (call: TestService["call"], tasks: readonly unknown[]) =>
  call<Batch>("POST", "/api/tasks/batch", { body: { tasks } });
const bodies = (count: number, fields: Partial<CreateTaskBody> = {}) =>
  Array.from({ length: count }, () => newTaskBody(fields));
const statuses = ({ results }: Batch) => results.map(({ status }) => status);
const withoutIds = ({ request_id, ...error }: Record<string, unknown>) => (assert.ok(request_id), error);

testOnBoth("a batch creates each task as a single creation does, in its place", async (service) => {
  const { call } = service;
  const dana = await person(service, { email: "dana@example.com" });
  const tasks = [
    newTaskBody(),
    newTaskBody({ assign_to: { email: "dana@example.com" }, labels: ["vip"] }),
    newTaskBody({ callback_url: "https://agent.example/hook" }),
  ];
  const { status, body } = await send(call, tasks);
  assert.equal(status, 200);
  assert.deepEqual(statuses(body), [201, 201, 201]);
  for (const [i, { id, task, ...rest }] of body.results.entries()) {
    assert.deepEqual(rest, { status: 201 });
    assert.equal(task!.idempotency_key, tasks[i]!.idempotency_key);
    assert.deepEqual(task, (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body);
  }
  assert.equal(body.results[1]!.task!.assigned_to_user_id, dana.user.id);
  const { body: trail } = await call<{ action: string }[]>("GET", `/api/tasks/${body.results[1]!.id}/audit`);
  assert.deepEqual(
    trail.map(({ action }) => action),
    ["created", "assigned"],
  );
});

testOnBoth("a refused task says what a single creation says, and does not hinder the others", async (service) => {
  const wrong: unknown[] = [
    7,
    {},
    newTaskBody({ timeout_seconds: 1 }),
    newTaskBody({ payload: { amount: "much" } }),
    newTaskBody({ response_schema: { type: "string" } }),
    newTaskBody({ project: "unknown" }),
    newTaskBody({ labels: Array.from({ length: 101 }, () => 7) as never }),
  ];
  const { body, text } = await send(service.call, [...wrong.slice(0, 3), newTaskBody(), ...wrong.slice(3)]);
  assert.equal(body.results[3]?.status, 201, text);
  for (const [i, result] of body.results.toSpliced(3, 1).entries()) {
    const single = await service.call("POST", "/api/tasks", { body: wrong[i] });
    assert.ok(single.status >= 400, single.text);
    assert.deepEqual(
      { status: result.status, error: withoutIds(result.error!) },
      { status: single.status, error: withoutIds(single.body) },
    );
    assert.deepEqual(Object.keys(result), ["status", "error"]);
  }
});

testOnBoth("each key of a batch is idempotent by itself", async (service) => {
  const [a, b, c] = bodies(3);
  // With labels, a task is written in another way, and sooner.
  const first = (await send(service.call, [a, b, { ...a, labels: ["vip"] }])).body;
  assert.deepEqual(statuses(first), [201, 201, 200]);
  assert.equal(first.results[2]!.id, first.results[0]!.id, "the second with a key is the first task");
  const later = (await send(service.call, [b, c, { ...a, task: "Another?" }, { idempotency_key: a!.idempotency_key }]))
    .body;
  assert.deepEqual(
    later.results.map(({ status, id, mismatch }) => [status, id, mismatch]),
    [
      [200, first.results[1]!.id, false],
      [201, later.results[1]!.id, undefined],
      [200, first.results[0]!.id, true],
      [200, first.results[0]!.id, true],
    ],
  );
  assert.deepEqual(later.results[0]!.task, first.results[1]!.task);
});

testOnBoth("a body that is no list of 1 to 100 tasks is refused as a whole", async (service) => {
  for (const body of [{}, { tasks: [] }, { tasks: {} }, [], { tasks: bodies(101) }]) {
    const answer = await service.call<Batch>("POST", "/api/tasks/batch", { body });
    assert.deepEqual([answer.status, answer.body.error_code], [400, "MALFORMED_REQUEST"], answer.text);
    assert.ok(answer.body.details![0]!.path === "/tasks" || Array.isArray(body), answer.text);
  }
  const large = bodies(2, { payload: { amount: 1, customer: "x".repeat(600_000) } });
  assert.deepEqual((await send(service.call, large)).body.error_code, "PAYLOAD_TOO_LARGE");
  assert.deepEqual((await service.call("GET", "/api/tasks")).body, []);
});

testOnBoth("a hundred tasks are stored in two transactions", async (service, t) => {
  const { db } = service.ctx;
  const [write, writeOne] = [t.mock.method(db, "write"), t.mock.method(db, "writeOne")];
  const { body } = await send(service.call, bodies(100));
  assert.deepEqual(new Set(statuses(body)), new Set([201]));
  assert.equal(write.mock.callCount() + writeOne.mock.callCount(), 2);
  const keys = body.results.map(({ task }) => task!.idempotency_key);
  assert.equal(new Set(keys).size, 100);
});

testOnBoth("the limits of an agent count each task, and refusals are in the security log", async (service) => {
  const agent = await newAgent(service, {
    max_tasks_per_minute: 5,
    recipients: { mode: "list", domains: ["a.example"] },
  });
  const known = bodies(3);
  assert.deepEqual(statuses((await send(agent.call, known)).body), [201, 201, 201]);
  const tasks = [...known, newTaskBody({ notify: ["email:x@b.example"] }), ...bodies(4)];
  const { body } = await send(agent.call, tasks);
  assert.deepEqual(statuses(body), [200, 200, 200, 422, 201, 201, 429, 429], "replays use no place");
  assert.equal(body.results[3]!.error!["error_code"], "RECIPIENT_NOT_ALLOWED");
  assert.ok(body.results[6]!.retry_after! >= 1);
  assert.deepEqual(statuses((await send(agent.call, tasks)).body), [200, 200, 200, 422, 200, 200, 429, 429]);
  await service.ctx.security.flush();
  const { body: events } = await service.call<Event[]>("GET", "/api/security-events");
  const ofLimit = events.filter(({ type }) => type === "rate_limit_reached");
  assert.deepEqual([ofLimit.reduce((sum, { count }) => sum + count, 0), ofLimit[0]?.actor.id], [4, agent.id]);
  assert.equal(ofLimit[0]?.details?.["route"], "POST /api/tasks/batch");
});

testOnBoth("near its limit of open tasks, the first tasks of a batch get the places", async (service, t) => {
  const agent = await newAgent(service, { max_open_tasks: 3 });
  const { db } = service.ctx;
  const write = db.write.bind(db);
  let calls = 0;
  t.mock.method(db, "write", async (fn: Parameters<typeof write>[0]) => {
    // The first one is slow.
    for (let turns = calls++ === 0 ? 20 : 0; turns > 0; turns--) await nextTurn();
    return write(fn);
  });
  assert.deepEqual(statuses((await send(agent.call, bodies(5))).body), [201, 201, 201, 429, 429]);
});

testOnBoth("a caller who may not create tasks creates none", async (service) => {
  const reader = await newAgent(service, { scopes: ["read"] });
  const dana = await person(service, { email: "dana@example.com" });
  assert.deepEqual(
    [(await send(reader.call, bodies(1))).status, (await send(dana.call, bodies(1))).status],
    [403, 403],
  );
});

testOnBoth(
  "if the database fails half way, the same request later returns all tasks, each created once",
  async (service, t) => {
    const { db } = service.ctx;
    const tasks = bodies(100);
    const write = db.dialect === "sqlite" ? t.mock.method(db, "write") : t.mock.method(db, "writeOne");
    write.mock.mockImplementationOnce(async () => {
      throw new ServiceError("DATABASE_UNAVAILABLE");
    }, 1);
    const failed = await send(service.call, tasks);
    assert.deepEqual([failed.status, failed.body.error_code], [503, "COMMIT_UNKNOWN"], "some are stored");
    assert.ok(failed.headers["retry-after"]);
    const { body } = await send(service.call, tasks);
    assert.deepEqual(statuses(body), [...Array<number>(64).fill(200), ...Array<number>(36).fill(201)]);
    assert.equal(new Set(body.results.map(({ id }) => id)).size, 100);
  },
);

testOnBoth("existing tasks that are too long together are named without their record", async (service) => {
  const long = (n: number) =>
    newTaskBody({ idempotency_key: `long-${n}`, payload: { amount: 1, customer: "x".repeat(900_000) } });
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push((await service.create(long(n))).id);
  const keys = ids.map((_, n) => ({ idempotency_key: `long-${n}` }));
  const { body } = await send(service.call, keys);
  assert.deepEqual(
    body.results.map(({ status, id, task }) => [status, id, task === undefined]),
    ids.map((id, n) => [200, id, n === 4]),
  );
});
