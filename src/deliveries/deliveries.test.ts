import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { isSigned, startReceiver, type Receiver, type Received } from "../../test/support/receiver.ts";
import { timeOutDueTasks } from "../tasks/deadlines.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import type { WebhookDelivery, WholeWebhookDelivery } from "./schema.ts";
import { claimDeliveries, recordOutcomes } from "./store.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Creates a task with a callback and ends it. */
async function endTask(service: TestService, callback_url: string): Promise<string> {
  const { id } = await service.create({ callback_url });
  const { status } = await service.call("POST", `/api/tasks/${id}/complete`, {
    body: { response: { approved: true } },
  });
  assert.equal(status, 200);
  return id;
}

/** One look of the engine, and the end of what it began. Answers that are out let go of what was held five seconds. */
async function attempt(service: TestService): Promise<void> {
  await service.ctx.deliveries.turn();
  await service.ctx.deliveries.settle();
}

async function deliveryOf(service: TestService, taskId: string): Promise<WholeWebhookDelivery> {
  const { body } = await service.call<WebhookDelivery[]>("GET", `/api/admin/webhook-deliveries?task_id=${taskId}`);
  assert.equal(body.length, 1);
  return (await service.call<WholeWebhookDelivery>("GET", `/api/admin/webhook-deliveries/${body[0]!.id}`)).body;
}

/** A promise about receivers, each run with its own. */
function testWithReceiver(
  name: string,
  run: (service: TestService, receiver: Receiver) => Promise<void>,
  answer?: (response: ServerResponse, received: Received) => void,
): void {
  testOnBoth(
    name,
    async (service) => {
      const receiver = await startReceiver(answer);
      try {
        await run(service, receiver);
      } finally {
        await receiver.close();
      }
    },
    { deliveries: { random: () => 0, drainMs: 100 } },
  );
}

testWithReceiver(
  "the outcome of a task arrives, once, with the stored bytes, their signature and the task's id",
  async (service, receiver) => {
    service.ctx.deliveries.start();
    const id = await endTask(service, `${receiver.url}?a=1`);
    await receiver.until(1);
    const [one] = receiver.received;
    assert.ok(one && isSigned(one));
    assert.equal(one.url, "/hook?a=1");
    assert.equal(one.headers["content-type"], "application/json");
    assert.equal(one.headers["x-service-task-id"], id);
    const { body: task } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.deepEqual(JSON.parse(one.body), {
      task_id: id,
      idempotency_key: task.idempotency_key,
      status: "completed",
      response: { approved: true },
      completed_at: task.completed_at,
      timed_out_at: null,
      completed_by_email: null,
      completed_via_channel: null,
      verification_attempt: 0,
    });
    await service.ctx.deliveries.settle();
    for (let i = 0; i < 3; i++) await attempt(service);
    const delivery = await deliveryOf(service, id);
    assert.deepEqual(
      [delivery.status, delivery.attempt_count, delivery.next_attempt_at, delivery.last_status_code, delivery.body],
      ["SUCCEEDED", 1, null, 200, one.body],
    );
    assert.equal(receiver.received.length, 1);
  },
);

testWithReceiver("cancelled and timed-out tasks tell it as well", async (service, receiver) => {
  service.ctx.deliveries.start();
  const cancelled = await service.create({ callback_url: receiver.url });
  await service.call("POST", `/api/tasks/${cancelled.id}/cancel`);
  await service.create({ callback_url: receiver.url, timeout_seconds: 60 });
  // A lease lapses by the same clock.
  await receiver.until(1);
  await service.ctx.deliveries.settle();
  service.clock.advance(MINUTE);
  await timeOutDueTasks(service.ctx);
  await receiver.until(2);
  assert.deepEqual(receiver.received.map(({ body }) => (JSON.parse(body) as TaskRecord).status).toSorted(), [
    "cancelled",
    "timed_out",
  ]);
  assert.ok(receiver.received.every(isSigned));
});

const WAITS = [
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  24 * HOUR,
  24 * HOUR,
];

testWithReceiver(
  "a callback that nobody takes is tried thirteen times on the promised schedule, with the same bytes, and then abandoned",
  async (service, receiver) => {
    const warned: unknown[] = [];
    service.ctx.log.warn = (...line: unknown[]) => warned.push(line);
    const id = await endTask(service, receiver.url);
    service.clock.advance(5 * SECOND);
    await attempt(service);
    for (const [i, wait] of WAITS.entries()) {
      const { status, attempt_count, next_attempt_at } = await deliveryOf(service, id);
      assert.deepEqual(
        [status, attempt_count, next_attempt_at],
        ["FAILED", i + 1, new Date(service.clock.now() + wait).toISOString()],
      );
      service.clock.advance(wait - 1);
      await attempt(service);
      assert.equal(receiver.received.length, i + 1, "never early");
      service.clock.advance(1);
      await attempt(service);
      assert.equal(receiver.received.length, i + 2);
    }
    const delivery = await deliveryOf(service, id);
    assert.deepEqual(
      [delivery.status, delivery.attempt_count, delivery.next_attempt_at, delivery.last_status_code],
      ["ABANDONED", 13, null, 500],
    );
    assert.equal(delivery.attempts.length, 13);
    service.clock.advance(30 * 24 * HOUR);
    await attempt(service);
    assert.equal(receiver.received.length, 13);
    assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
    assert.ok(receiver.received.every(isSigned));
    const trail = await service.call<{ action: string }[]>("GET", `/api/tasks/${id}/audit`);
    assert.deepEqual(
      trail.body.map(({ action }) => action),
      ["created", "completed", "callback_abandoned"],
    );
    assert.equal(warned.length, 1);
    assert.match(JSON.stringify(warned[0]), /Webhook abandoned/);
  },
  (response) => void response.writeHead(500).end("no"),
);

testWithReceiver(
  "a redirect is a failure and is not followed",
  async (service, receiver) => {
    const id = await endTask(service, receiver.url);
    service.clock.advance(5 * SECOND);
    await attempt(service);
    const { status, last_status_code, last_error } = await deliveryOf(service, id);
    assert.deepEqual([status, last_status_code, last_error?.split(":")[0]], ["FAILED", 302, "redirect"]);
    assert.equal(receiver.received.length, 1);
  },
  (response) => void response.writeHead(302, { location: "/elsewhere" }).end(),
);

testWithReceiver("a callback starts only once the response that caused it was sent", async (service, receiver) => {
  service.ctx.deliveries.start();
  const order: string[] = [];
  const { until } = receiver;
  // The answer is held back after the commit; meanwhile the engine looks, and may not send.
  service.app.addHook("onSend", async (request) => {
    if (request.method !== "POST" || !request.url.endsWith("/complete")) return;
    await service.ctx.deliveries.turn();
    await service.ctx.deliveries.settle();
    order.push(`before the answer: ${receiver.received.length}`);
  });
  await endTask(service, receiver.url);
  await until(1);
  assert.deepEqual(order, ["before the answer: 0"]);
});

testWithReceiver("a stored row that cannot be sent fails alone", async (service, receiver) => {
  const broken = await Promise.all(
    ["ftp://nowhere", "http://", "", "http://[", "http://127.0.0.1:0/"].map(() => endTask(service, receiver.url)),
  );
  const bodiless = await endTask(service, receiver.url);
  const fine = await endTask(service, receiver.url);
  const urls = ["ftp://nowhere", "http://", "", "http://[", "http://127.0.0.1:0/"];
  await service.ctx.db.write(async (tx) => {
    for (const [i, id] of broken.entries())
      await tx.query
        .updateTable("deliveries")
        .set({ destination: urls[i]!, origin: `broken-${i}` })
        .where("task_id", "=", id)
        .execute();
    const { id } = await tx.query
      .updateTable("deliveries")
      .set({ origin: "bodiless" })
      .where("task_id", "=", bodiless)
      .returning("id")
      .executeTakeFirstOrThrow();
    await tx.query.deleteFrom("delivery_bodies").where("delivery_id", "=", id).execute();
  });
  service.clock.advance(5 * SECOND);
  await attempt(service);
  for (const id of broken) {
    const { status, last_error } = await deliveryOf(service, id);
    assert.deepEqual([status, last_error?.split(":")[0]], ["FAILED", "bad_url"]);
  }
  assert.match((await deliveryOf(service, bodiless)).last_error ?? "", /no_body/);
  assert.equal((await deliveryOf(service, fine)).status, "SUCCEEDED");
});

/** Takes what is due as a process would that then dies. */
async function takeAndDie(service: TestService, taskId: string, leaseMs = 30 * SECOND) {
  const { id } = await deliveryOf(service, taskId);
  const now = service.clock.now();
  const claimed = await claimDeliveries(
    service.ctx.db,
    { due: [id], held: [] },
    { owner: "dead", until: now + leaseMs },
  );
  assert.equal(claimed.length, 1);
  return claimed[0]!;
}

testWithReceiver(
  "the attempt of a process that died is repeated under its number, three times, and then counts as failed",
  async (service, receiver) => {
    const id = await endTask(service, receiver.url);
    service.clock.advance(5 * SECOND);
    // The engine has looked before, so that on SQLite this is no lease of an earlier start.
    const before = await endTask(service, "http://127.0.0.1:9/");
    await service.ctx.db.write((tx) =>
      tx.query
        .updateTable("deliveries")
        .set({ next_attempt_at: service.clock.now() + HOUR })
        .where("task_id", "=", id)
        .execute(),
    );
    await attempt(service);
    assert.ok(before);
    await service.ctx.db.write((tx) =>
      tx.query
        .updateTable("deliveries")
        .set({ next_attempt_at: service.clock.now() })
        .where("task_id", "=", id)
        .execute(),
    );
    for (let loss = 1; loss <= 4; loss++) {
      await takeAndDie(service, id);
      service.clock.advance(30 * SECOND - 1);
      await service.ctx.deliveries.settle();
      assert.equal(receiver.received.length, 0);
      service.clock.advance(5 * SECOND + 1);
      if (loss === 4) break;
      // Frees the lapsed lease; the row is due again at once, which here another process that dies takes.
      const { freeLapsed } = await import("./store.ts");
      await freeLapsed(service.ctx.db, service.clock.now(), 3, 100);
      assert.equal((await deliveryOf(service, id)).attempt_count, 0);
    }
    await attempt(service);
    const { status, attempt_count, last_error } = await deliveryOf(service, id);
    assert.deepEqual([status, attempt_count, last_error?.split(":")[0]], ["FAILED", 1, "worker_lost"]);
    service.clock.advance(30 * SECOND);
    await attempt(service);
    assert.deepEqual([(await deliveryOf(service, id)).status, receiver.received.length], ["SUCCEEDED", 1]);
  },
);

testWithReceiver("an outcome that comes after its lease was lost changes nothing", async (service, receiver) => {
  const id = await endTask(service, receiver.url);
  service.clock.advance(5 * SECOND);
  const lost = await takeAndDie(service, id, 0);
  service.clock.advance(6 * SECOND);
  await attempt(service);
  assert.equal((await deliveryOf(service, id)).status, "SUCCEEDED");
  const now = service.clock.now();
  const ended = {
    status: "FAILED",
    next_attempt_at: now,
    started_at: now,
    duration_ms: 1,
    ended_at: now,
    status_code: 500,
    error: "late",
    response_excerpt: null,
  } as const;
  assert.deepEqual(await recordOutcomes(service.ctx.db, [{ attempt: { ...lost, lease_owner: "dead" }, ended }]), [
    false,
  ]);
  const { status, attempts } = await deliveryOf(service, id);
  assert.deepEqual([status, attempts.length], ["SUCCEEDED", 1]);
});

testWithReceiver("deliveries are listed newest first, filtered, in pages", async (service, receiver) => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    ids.unshift(await endTask(service, receiver.url));
    service.clock.advance(1);
  }
  const failing = await endTask(service, "http://127.0.0.1:9/");
  service.clock.advance(5 * SECOND);
  for (let look = 0; look < 4; look++) await attempt(service);
  const list = async (query: string) => {
    const { status, body, headers } = await service.call<WebhookDelivery[]>(
      "GET",
      `/api/admin/webhook-deliveries${query}`,
    );
    assert.equal(status, 200, query);
    return { ids: body.map(({ task_id }) => task_id), next: /^<(.*)>; rel="next"$/.exec(headers["link"] ?? "")?.[1] };
  };
  assert.deepEqual((await list("")).ids, [failing, ...ids]);
  assert.deepEqual((await list("?status=FAILED")).ids, [failing]);
  assert.deepEqual((await list("?status=FAILED&status=SUCCEEDED")).ids, [failing, ...ids]);
  assert.deepEqual((await list(`?origin=${encodeURIComponent(new URL(receiver.url).origin)}`)).ids, ids);
  const first = await list("?status=SUCCEEDED&limit=2");
  const second = await list(first.next!.slice("/api/admin/webhook-deliveries".length));
  assert.deepEqual([...first.ids, ...second.ids], ids.slice(0, 4));
  for (const [query, status] of [
    ["?status=DONE", 422],
    ["?limit=0", 422],
    ["?limit=x", 400],
    ["?cursor=x", 422],
  ] as const) {
    assert.equal((await service.call("GET", `/api/admin/webhook-deliveries${query}`)).status, status, query);
  }
  assert.equal((await service.call("GET", "/api/admin/webhook-deliveries", { token: null })).status, 401);
  for (const id of ["x", "dlv_00000000000000000000000000"]) {
    const answer = await service.call<{ error_code: string }>("GET", `/api/admin/webhook-deliveries/${id}`);
    assert.deepEqual([answer.status, answer.body.error_code], [404, "DELIVERY_NOT_FOUND"]);
  }
});

testWithReceiver(
  "a delivery can be sent again from any status, in a new cycle from attempt 1",
  async (service, receiver) => {
    const id = await endTask(service, receiver.url);
    service.clock.advance(5 * SECOND);
    await attempt(service);
    const { id: deliveryId } = await deliveryOf(service, id);
    const again = await service.call<WebhookDelivery>("POST", `/api/admin/webhook-deliveries/${deliveryId}/redeliver`);
    assert.equal(again.status, 200);
    assert.deepEqual(
      [again.body.status, again.body.attempt_count, again.body.next_attempt_at],
      ["PENDING", 0, new Date(service.clock.now()).toISOString()],
    );
    await attempt(service);
    assert.equal(receiver.received.length, 2);
    assert.equal(receiver.received[0]!.body, receiver.received[1]!.body);
    const { status, attempt_count, attempts } = await deliveryOf(service, id);
    assert.deepEqual(
      [status, attempt_count, attempts.map(({ cycle, attempt: number }) => [cycle, number])],
      [
        "SUCCEEDED",
        1,
        [
          [1, 1],
          [2, 1],
        ],
      ],
    );
    assert.equal(
      (await service.call("POST", "/api/admin/webhook-deliveries/dlv_00000000000000000000000000/redeliver")).status,
      404,
    );
  },
);

testWithReceiver("many can be sent again, by id or by status and origin", async (service, receiver) => {
  const ids = await Promise.all([1, 2, 3].map(() => endTask(service, receiver.url)));
  const failing = await endTask(service, "http://127.0.0.1:9/");
  service.clock.advance(5 * SECOND);
  for (let i = 0; i < 4; i++) await attempt(service);
  assert.equal(receiver.received.length, 3);
  const redeliver = (body: unknown) =>
    service.call<{ count: number }>("POST", "/api/admin/webhook-deliveries/redeliver", { body });
  const { id } = await deliveryOf(service, ids[0]!);
  const byId = await redeliver({ ids: [id, id, "dlv_00000000000000000000000000"] });
  assert.deepEqual([byId.status, byId.body], [202, { count: 1 }]);
  assert.deepEqual((await redeliver({ status: "FAILED", origin: "http://127.0.0.1:9" })).body, { count: 1 });
  assert.equal((await deliveryOf(service, failing)).status, "PENDING");
  assert.deepEqual((await redeliver({ status: "SUCCEEDED" })).body, { count: 2 });
  for (const [body, status] of [
    [{}, 400],
    [{ ids: "x" }, 400],
    [{ ids: [id], status: "FAILED" }, 422],
    [{ status: "LOST" }, 422],
  ] as const) {
    assert.equal((await redeliver(body)).status, status, JSON.stringify(body));
  }
  for (let i = 0; i < 4; i++) await attempt(service);
  assert.equal(receiver.received.length, 6);
});

let hangs: ServerResponse[] = [];
testWithReceiver(
  "redelivery and deletion during an attempt win over its outcome",
  async (service, receiver) => {
    hangs = [];
    const [again, gone] = [
      await endTask(service, receiver.url),
      await endTask(service, receiver.url.replace("127.0.0.1", "localhost")),
    ];
    service.clock.advance(5 * SECOND);
    await service.ctx.deliveries.turn();
    await receiver.until(2);
    const { id } = await deliveryOf(service, again);
    await service.call("POST", `/api/admin/webhook-deliveries/${id}/redeliver`);
    await service.call("DELETE", `/api/tasks/${gone}`);
    for (const response of hangs.splice(0)) response.writeHead(500).end();
    await service.ctx.deliveries.settle();
    const { status, attempt_count } = await deliveryOf(service, again);
    assert.deepEqual([status, attempt_count], ["PENDING", 0]);
    assert.deepEqual(
      await service.ctx.db.query.selectFrom("delivery_attempts").selectAll().where("delivery_id", "!=", id).execute(),
      [],
    );
    const third = service.ctx.deliveries.turn();
    await receiver.until(3);
    for (const response of hangs.splice(0)) response.end();
    await third;
    await service.ctx.deliveries.settle();
    assert.equal((await deliveryOf(service, again)).status, "SUCCEEDED");
  },
  (response) => void hangs.push(response),
);

testWithReceiver(
  "a stop gives back what does not end in time, and it is sent by whoever comes next",
  async (service, receiver) => {
    hangs = [];
    service.ctx.deliveries.start();
    const id = await endTask(service, receiver.url);
    await receiver.until(1);
    await service.ctx.deliveries.stop();
    const rows = await service.ctx.db.query
      .selectFrom("deliveries")
      .select(["status", "attempt_count", "lease_owner"])
      .where("task_id", "=", id)
      .execute();
    assert.deepEqual({ ...rows[0] }, { status: "PENDING", attempt_count: 0, lease_owner: null });
  },
  (response) => void hangs.push(response),
);

testWithReceiver("health and metrics tell how late deliveries are", async (service, receiver) => {
  await endTask(service, receiver.url);
  service.clock.advance(65 * SECOND);
  const late = async () =>
    (await service.call<{ deliveries: { overdue_seconds: number } }>("GET", "/api/health")).body.deliveries
      .overdue_seconds;
  assert.equal(await late(), 60);
  await attempt(service);
  assert.equal(await late(), 0);
  const { text } = await service.call("GET", "/metrics");
  assert.match(text, /outcome="succeeded"[^\n]* 1/);
});

testWithReceiver("a silent receiver with many rows does not hold up another origin", async (service, receiver) => {
  const silent = await startReceiver(() => {});
  try {
    service.ctx.deliveries.start();
    const body = newTaskBody({ callback_url: silent.url });
    for (let i = 0; i < 60; i++) {
      const { id } = (
        await service.call<TaskRecord>("POST", "/api/tasks", { body: { ...body, idempotency_key: `silent-${i}` } })
      ).body;
      await service.call("POST", `/api/tasks/${id}/cancel`);
    }
    for (let i = 0; i < 20; i++) await endTask(service, receiver.url);
    await receiver.until(20);
    assert.equal(silent.received.length, 1, "an origin that has not answered is asked one thing at a time");
  } finally {
    await silent.close();
  }
});
