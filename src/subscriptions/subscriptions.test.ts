import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { sql } from "kysely";
import { person } from "../../test/support/people.ts";
import { newProject } from "../../test/support/projects.ts";
import { startReceiver, type ReceivedCallback, type Receiver } from "../../test/support/receiver.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { COLUMNS } from "../db/columns.ts";
import type { WebhookDelivery } from "../deliveries/schema.ts";
import { DAY, HOUR } from "../lib/time.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import { timeOutDueTasks } from "../tasks/timeouts.ts";
import { EVENT_TYPES, type NewSubscriptionRecord, type SubscriptionRecord, type TaskEventBody } from "./schema.ts";

const PATH = "/api/event-subscriptions";

interface Refused {
  error_code: string;
  details: { path: string }[];
}

async function receiver(t: TestContext, status: () => number = () => 200): Promise<Receiver> {
  const started = await startReceiver((response: ServerResponse) => response.writeHead(status()).end("ok"));
  t.after(() => started.close());
  return started;
}

const subscribe = async ({ call }: Pick<TestService, "call">, url: string, fields: object = {}) => {
  const body = { url, events: EVENT_TYPES, ...fields };
  const { status, body: made, text } = await call<NewSubscriptionRecord>("POST", PATH, { body });
  assert.equal(status, 201, text);
  return made;
};

/** After this, what a request has caused is due, although no engine runs that would begin it once the request is answered. */
const HELD_MS = 6_000;

/** Lets time pass, and everything that is due then be sent. A new receiver gets one attempt at a time. */
async function deliver({ ctx, clock }: TestService, ms = HELD_MS): Promise<void> {
  clock.advance(ms);
  for (let i = 0; i < 8; i++) {
    clock.advance(250);
    await ctx.deliveries.turn();
    await ctx.deliveries.settle();
  }
}

const complete = ({ call }: Pick<TestService, "call">, id: string) =>
  call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
const bodiesOf = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body) as TaskEventBody);
const typesOf = (to: Receiver) => bodiesOf(to).map(({ type }) => type);
const isSigned = (secret: string, { headers, body }: ReceivedCallback) => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

testOnBoth(
  "a subscriber hears what happens to each task, once and in order, and the official library accepts it",
  async (service, t) => {
    const to = await receiver(t);
    const { secret } = await subscribe(service, to.url);
    const { call } = await person(service, { is_operator: true });
    const task = await service.create({ timeout_seconds: 7200 });
    const dropped = await service.create();
    const late = await service.create({ timeout_seconds: 60 });
    await call("POST", `/api/tasks/${task.id}/claim`);
    await call("POST", `/api/tasks/${task.id}/claim`);
    await complete({ call }, task.id);
    await service.call("POST", `/api/tasks/${dropped.id}/cancel`, { body: { reason: "not needed" } });
    service.clock.advance(60_000);
    await timeOutDueTasks(service.ctx);
    await deliver(service);
    await deliver(service, DAY);
    const ofTask = (id: string) => bodiesOf(to).filter(({ data }) => data.task_id === id);
    assert.deepEqual(
      [task, dropped, late].map(({ id }) => ofTask(id).map(({ type }) => type)),
      [
        ["task.created", "task.claimed", "task.completed"],
        ["task.created", "task.cancelled"],
        ["task.created", "task.timed_out"],
      ],
    );
    assert.equal(to.received.length, 7);
    assert.equal(new Set(to.received.map(({ headers }) => headers["webhook-id"])).size, 7);
    for (const one of to.received) assert.ok(isSigned(secret, one), one.body);

    const [created, claimed, completed] = ofTask(task.id);
    const { project, idempotency_key } = task;
    const first = { task_id: task.id, project, idempotency_key, status: "created", task: task.task };
    assert.deepEqual(created, {
      type: "task.created",
      timestamp: task.created_at,
      data: { ...first, payload: task.payload, timeout_at: task.timeout_at },
    });
    const after = (await service.call<TaskRecord>("GET", `/api/tasks/${task.id}`)).body;
    assert.deepEqual(claimed!.data, { ...first, claimed_by_email: after.completed_by_email });
    const { response, completed_at, completed_by_email, decided_by } = after;
    const { data } = completed as unknown as { data: TaskRecord };
    assert.deepEqual(
      { ...data, ...first, status: "completed" },
      { ...data, ...first, status: "completed", response, completed_at, completed_by_email, decided_by },
    );
    assert.equal((ofTask(dropped.id)[1]!.data as unknown as TaskRecord).cancel_reason, "not needed");
  },
);

testOnBoth("only the events that were asked for are sent, of the project that was named", async (service, t) => {
  await newProject(service, "desk");
  const [to, desk] = [await receiver(t), await receiver(t)];
  const subscription = await subscribe(service, to.url, { events: ["task.cancelled", "task.cancelled"] });
  await subscribe(service, desk.url, { project: "desk" });
  assert.deepEqual(subscription.events, ["task.cancelled"]);
  const { id } = await service.create();
  const other = await service.call<TaskRecord>("POST", "/api/tasks", { body: { ...newTaskBody(), project: "desk" } });
  await complete(service, id);
  await service.call("POST", `/api/tasks/${other.body.id}/cancel`);
  await service.call("POST", `/api/tasks/${(await service.create()).id}/cancel`);
  await deliver(service);
  assert.deepEqual([typesOf(to), typesOf(desk)], [["task.cancelled"], ["task.created", "task.cancelled"]]);
});

testOnBoth("what is redacted stays out of events", async (service, t) => {
  const to = await receiver(t);
  await subscribe(service, to.url);
  const { id } = await service.create({
    redact_payload: true,
    task: "About Mia",
    payload: { amount: 7, customer: "Mia" },
  });
  await complete(service, id);
  await deliver(service);
  assert.equal(to.received.length, 2);
  const [created, completed] = bodiesOf(to).map(({ data }) => data);
  assert.deepEqual([created!.task, created!.payload, completed!.task, completed!.response], [null, null, null, null]);
  for (const { body } of to.received) assert.ok(!/Mia|approved/.test(body), body);
});

testOnBoth("after a rotation both secrets sign for a day, and then the new one alone", async (service, t) => {
  const to = await receiver(t);
  const { id, secret } = await subscribe(service, to.url, { events: ["task.created"] });
  const rotated = await service.call<NewSubscriptionRecord>("POST", `${PATH}/${id}/rotate`);
  const { secret: renewed } = rotated.body;
  assert.match(renewed, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.notEqual(renewed, secret);
  const signedBy = async () => {
    await service.create();
    await deliver(service);
    const last = to.received.at(-1)!;
    return [secret, renewed].map((one) => isSigned(one, last));
  };
  assert.deepEqual(await signedBy(), [true, true]);
  service.clock.advance(DAY - 2 * HOUR);
  assert.deepEqual(await signedBy(), [true, true]);
  service.clock.advance(2 * HOUR);
  assert.deepEqual(await signedBy(), [false, true]);
});

testOnBoth(
  "a receiver that fails is tried again with the same id, and others do not wait for it",
  async (service, t) => {
    let status = 500;
    const [to, well] = [await receiver(t, () => status), await receiver(t)];
    const { id: failing } = await subscribe(service, to.url, { events: ["task.created", "task.completed"] });
    await subscribe(service, well.url, { events: ["task.created", "task.completed"] });
    const { id } = await service.create();
    await complete(service, id);
    await deliver(service);
    assert.deepEqual(typesOf(well), ["task.created", "task.completed"]);
    // An event that has failed does not hold up the next one.
    assert.deepEqual(typesOf(to), ["task.created", "task.completed"]);
    status = 200;
    for (let i = 0; i < 3; i++) await deliver(service, HOUR);
    assert.equal(to.received.length, 4);
    assert.equal(new Set(to.received.map(({ headers }) => headers["webhook-id"])).size, 2);
    const { body } = await service.call<WebhookDelivery[]>("GET", "/api/admin/webhook-deliveries?kind=event");
    assert.deepEqual(
      body.map(({ kind, task_id, status: now, url }) => [kind, task_id, now, url]),
      [well, to, well, to].map((one) => ["event", id, "SUCCEEDED", new URL(one.url).origin]),
    );
    const path = `/api/admin/webhook-deliveries?subscription=${failing}`;
    const own = await service.call<WebhookDelivery[]>("GET", path);
    assert.deepEqual(
      own.body.map(({ subscription }) => subscription),
      [failing, failing],
    );
  },
);

const countOf = (lanes: Record<string, number>) => Object.values(lanes).reduce((sum, count) => sum + count, 0);

testOnBoth(
  "an event waits until the one before it was tried, and its wait counts as no attempt",
  async (service, t) => {
    const held: ServerResponse[] = [];
    let holds = false;
    const to = await startReceiver((response: ServerResponse) => {
      if (holds && held.length === 0) held.push(response);
      else response.end("ok");
    });
    t.after(() => to.close());
    const { ctx, clock } = service;
    await subscribe(service, to.url);
    // A receiver that is known to answer gets several attempts at once.
    await service.create();
    await deliver(service, HELD_MS);
    holds = true;
    const task = await service.create();
    const begun = to.until(2);
    clock.advance(HELD_MS);
    await ctx.deliveries.turn();
    await begun;
    await complete(service, task.id);
    clock.advance(HELD_MS);
    for (let i = 0; i < 3; i++) {
      await ctx.deliveries.turn();
      // Only the attempt that is held goes on.
      while (countOf(ctx.deliveries.inFlight()) > 1) await nextTurn();
    }
    assert.deepEqual(typesOf(to), ["task.created", "task.created"]);
    held[0]!.end("ok");
    await ctx.deliveries.settle();
    await deliver(service);
    assert.deepEqual(typesOf(to), ["task.created", "task.created", "task.completed"]);
    const { body } = await service.call<WebhookDelivery[]>("GET", "/api/admin/webhook-deliveries?kind=event");
    assert.deepEqual(
      body.map(({ attempt_count }) => attempt_count),
      [1, 1, 1],
    );
  },
);

testOnBoth("a receiver that is gone hears nothing more until an operator turns it on again", async (service, t) => {
  let status = 410;
  const to = await receiver(t, () => status);
  const { id } = await subscribe(service, to.url, { events: ["task.created"] });
  await service.create();
  await deliver(service);
  const off = (await service.call<SubscriptionRecord>("GET", `${PATH}/${id}`)).body;
  assert.notEqual(off.disabled_at, null);
  await service.create();
  await deliver(service, DAY);
  assert.equal(to.received.length, 1);
  const { body } = await service.call<WebhookDelivery[]>("GET", "/api/admin/webhook-deliveries?kind=event");
  assert.deepEqual(
    body.map(({ status }) => status),
    ["ABANDONED"],
    "no other attempt, and no other delivery",
  );
  status = 200;
  const on = await service.call<SubscriptionRecord>("PATCH", `${PATH}/${id}`, { body: { disabled: false } });
  assert.equal(on.body.disabled_at, null);
  await service.create();
  await deliver(service);
  assert.equal(to.received.length, 2);
  // Not even what was due before is sent.
  await service.create();
  await service.call("PATCH", `${PATH}/${id}`, { body: { disabled: true } });
  await deliver(service);
  assert.equal(to.received.length, 2);
});

testOnBoth("a subscription that is deleted sends nothing, not even what was due", async (service, t) => {
  const to = await receiver(t);
  const { id } = await subscribe(service, to.url);
  await service.create();
  assert.equal((await service.call("DELETE", `${PATH}/${id}`)).status, 204);
  await service.create();
  await deliver(service);
  assert.equal(to.received.length, 0);
  const { body } = await service.call<WebhookDelivery[]>("GET", "/api/admin/webhook-deliveries?kind=event");
  assert.deepEqual(
    body.map(({ status }) => status),
    ["SUCCEEDED"],
    "nothing is left to send, and the second task queued nothing",
  );
  const gone = await service.call<Refused>("GET", `${PATH}/${id}`);
  assert.deepEqual([gone.status, gone.body.error_code], [404, "SUBSCRIPTION_NOT_FOUND"]);
});

testOnBoth("a secret is shown once, and a stolen database signs nothing", async (service) => {
  const { secret, ...record } = await subscribe(service, "https://example.com/events?key=visible");
  const list = await service.call<SubscriptionRecord[]>("GET", PATH);
  assert.deepEqual(list.body, [record]);
  assert.deepEqual((await service.call("GET", `${PATH}/${record.id}`)).body, record);
  for (const table of Object.keys(COLUMNS)) {
    const { rows } = await sql`select * from ${sql.table(table)}`.execute(service.ctx.db.query);
    assert.ok(!JSON.stringify(rows).includes(secret.slice("whsec_".length)), table);
  }
});

testOnBoth("what cannot be meant is refused, and a project has at most twenty", async (service) => {
  const create = (fields: object) =>
    service.call<Refused>("POST", PATH, {
      body: { url: "https://example.com/e", events: ["task.created"], ...fields },
    });
  const refused: [fields: object, path: string][] = [
    [{ url: "ftp://example.com" }, "/url"],
    [{ events: [] }, "/events"],
    [{ events: ["task.exploded"] }, "/events/0"],
    [{ events: "task.created" }, "/events"],
    [{ project: "nothing" }, "/project"],
  ];
  for (const [fields, path] of refused) {
    const { status, body } = await create(fields);
    assert.ok(status === 400 || status === 422, JSON.stringify(fields));
    assert.equal(body.details[0]!.path, path, JSON.stringify(body));
  }
  for (let i = 0; i < 20; i++) assert.equal((await create({})).status, 201);
  assert.equal((await create({})).status, 422);
  await newProject(service, "desk");
  assert.equal((await create({ project: "desk" })).status, 201);
});

testOnBoth(
  "addresses of private networks are refused where callbacks may not go there either",
  async (service) => {
    const body = { url: "http://127.0.0.1:9/e", events: ["task.created"] };
    const { status, body: refused } = await service.call<Refused>("POST", PATH, { body });
    assert.deepEqual([status, refused.details[0]!.path], [422, "/url"]);
  },
  { env: { SERVICE_CALLBACK_ALLOW_PRIVATE: "0" } },
);

testOnBoth("a subscriber hears what was said, and not the words where the task is redacted", async (service, t) => {
  const to = await receiver(t);
  await subscribe(service, to.url, { events: ["task.commented"] });
  const { call } = await person(service, { is_operator: true });
  const [open, redacted] = [await service.create(), await service.create({ redact_payload: true })];
  const name = "scan.png";
  const file = {
    url: `https://files.example.com/${name}`,
    sha256: "0".repeat(64),
    bytes: 7,
    media_type: "image/png",
    name,
  };
  const body = { text: "Which card?", kind: "question", files: [file] };
  for (const { id } of [open, redacted]) await call("POST", `/api/tasks/${id}/comments`, { body });
  await deliver(service);
  const heard = (id: string) => bodiesOf(to).find(({ data }) => data.task_id === id)!.data;
  const { comment, waiting_on, task } = heard(open.id);
  assert.deepEqual([comment?.text, comment?.kind, waiting_on, task], ["Which card?", "question", "agent", open.task]);
  assert.deepEqual(comment?.files, [file]);
  const hidden = heard(redacted.id);
  assert.deepEqual([hidden.comment?.text, hidden.comment?.files, hidden.task], [null, [], null]);
  assert.equal(to.received.length, 2);
});
