import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Kysely } from "kysely";
import { startReceiver, type Receiver } from "../../test/support/receiver.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { homeOf } from "../db/home.ts";
import type { Schema } from "../db/schema.ts";
import { newId } from "../lib/ids.ts";
import { SECOND } from "../lib/time.ts";
import { moveTask } from "../tasks/move.ts";
import { getTaskWithDocuments } from "../tasks/store.ts";
import type { DeliverySummary, WebhookDelivery, WholeWebhookDelivery } from "./schema.ts";
import { redeliver as redeliverRows } from "./admin-store.ts";

const PATH = "/api/admin/webhook-deliveries";

async function receiver(t: TestContext, answer?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const started = await startReceiver(answer);
  t.after(() => started.close());
  return started;
}

/** A task that has ended without any request, so that its callback is due at once. */
async function endedTask({ ctx, create }: TestService, callback_url: string): Promise<string> {
  const { id } = await create({ callback_url });
  const task = await getTaskWithDocuments(ctx.db, id);
  await moveTask(
    ctx,
    task,
    { type: "cancelled", reason: null, email: null },
    { type: "system", email: null, agent: null },
  );
  return id;
}

async function deliver({ ctx }: TestService): Promise<void> {
  await ctx.deliveries.turn();
  await ctx.deliveries.settle();
}

const list = async ({ call }: TestService, query = "") => {
  const { status, body, headers } = await call<WebhookDelivery[]>("GET", `${PATH}${query}`);
  assert.equal(status, 200, query);
  return { rows: body, next: /^<(.*)>; rel="next"$/.exec(headers["link"] ?? "")?.[1] ?? null };
};
const taskIds = async (service: TestService, query = "") =>
  (await list(service, query)).rows.map(({ task_id }) => task_id);
const ofTask = async (service: TestService, id: string) => (await list(service, `?task_id=${id}`)).rows[0]!;
const redeliver = (service: TestService, body: unknown) =>
  service.call<{ count: number; error_code: string }>("POST", `${PATH}/redeliver`, { body });

testOnBoth("a delivery shows what became of it, with its body and every attempt", async (service, t) => {
  const { call, clock } = service;
  const hook = await receiver(t, (response) => response.writeHead(hook.received.length > 1 ? 200 : 500).end("oh"));
  const task = await endedTask(service, hook.url);
  const created = new Date(clock.now()).toISOString();
  const owed = await ofTask(service, task);
  assert.match(owed.id, /^dlv_/);
  assert.deepEqual(owed, {
    id: owed.id,
    kind: "callback",
    engine: null,
    task_id: task,
    task: owed.task,
    connection: null,
    subscription: null,
    url: hook.url,
    status: "PENDING",
    attempt_count: 0,
    next_attempt_at: created,
    last_attempt_at: null,
    last_status_code: null,
    last_error: null,
    meaning: null,
    created_at: created,
    updated_at: created,
  });
  await deliver(service);
  const failed = await ofTask(service, task);
  assert.deepEqual(
    [failed.status, failed.attempt_count, failed.last_status_code, failed.last_error, failed.last_attempt_at],
    ["FAILED", 1, 500, "http_status: The receiver answered 500.", created],
  );
  clock.advance(33_000);
  await deliver(service);

  const whole = (await call<WholeWebhookDelivery>("GET", `${PATH}/${owed.id}`)).body;
  assert.deepEqual([whole.status, whole.attempt_count, whole.next_attempt_at], ["SUCCEEDED", 2, null]);
  assert.equal(whole.body, hook.received[0]?.body);
  const { "webhook-timestamp": seconds, ...sent } = hook.received[1]!.headers;
  const secrets = { "x-service-signature": "...", "webhook-signature": "..." };
  const named = Object.entries({ ...sent, ...secrets }).filter(([name]) =>
    /^(x-service|webhook|content-type)/.test(name),
  );
  const { "webhook-timestamp": shown, ...headers } = whole.request!.headers;
  assert.deepEqual(headers, Object.fromEntries(named), "as it was sent, without what is secret");
  assert.ok(Number(seconds) > 0 && Number(shown) > 0);
  assert.deepEqual(
    whole.attempts.map(({ duration_ms, ...attempt }) => ({ ...attempt, isTimed: duration_ms >= 0 })),
    [
      {
        cycle: 1,
        attempt: 1,
        started_at: created,
        outcome: "failed",
        status_code: 500,
        error: "http_status: The receiver answered 500.",
        response_excerpt: "oh",
        meaning: null,
        isTimed: true,
      },
      {
        cycle: 1,
        attempt: 2,
        started_at: new Date(clock.now()).toISOString(),
        outcome: "succeeded",
        status_code: 200,
        error: null,
        response_excerpt: "oh",
        meaning: null,
        isTimed: true,
      },
    ],
  );
});

testOnBoth("the list is newest first, in pages, and can be narrowed down", async (service, t) => {
  const hook = await receiver(t);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift(await endedTask(service, i % 2 === 0 ? hook.url : "http://127.0.0.1:9/x"));
  assert.deepEqual(await taskIds(service), ids);

  const pages: string[][] = [];
  for (let query: string | null = "?limit=2"; query !== null;) {
    const { rows, next } = await list(service, query);
    pages.push(rows.map(({ task_id }) => task_id));
    query = next === null ? null : next.slice(PATH.length);
  }
  assert.deepEqual(
    pages.map(({ length }) => length),
    [2, 2, 1],
  );
  assert.deepEqual(pages.flat(), ids);

  for (let i = 0; i < 4; i++) await deliver(service);
  const succeeded = [ids[0], ids[2], ids[4]];
  assert.deepEqual(await taskIds(service, "?status=SUCCEEDED"), succeeded);
  assert.deepEqual(await taskIds(service, "?status=FAILED&status=SUCCEEDED"), ids);
  assert.deepEqual(await taskIds(service, "?status=ABANDONED"), []);
  assert.deepEqual(await taskIds(service, `?origin=${new URL(hook.url).origin}`), succeeded);
  assert.deepEqual(await taskIds(service, `?origin=${new URL(hook.url).origin}&status=FAILED`), []);
  assert.deepEqual(await taskIds(service, `?task_id=${ids[1]}`), [ids[1]]);
  for (const [query, status] of [
    ["?status=LOST", 422],
    ["?limit=0", 422],
    ["?limit=x", 400],
    ["?cursor=x", 422],
  ] as const)
    assert.equal((await service.call("GET", `${PATH}${query}`)).status, status, query);
});

testOnBoth("only operators see deliveries, and what is not there is not found", async (service) => {
  const id = newId("dlv", service.clock.now(), 7);
  for (const [method, path] of [
    ["GET", PATH],
    ["GET", `${PATH}/${id}`],
    ["POST", `${PATH}/${id}/redeliver`],
    ["POST", `${PATH}/redeliver`],
  ] as const)
    assert.equal((await service.call(method, path, { token: null })).status, 401, path);
  for (const unknown of [id, "nonsense", "tsk_1"])
    for (const [method, path] of [
      ["GET", `${PATH}/${unknown}`],
      ["POST", `${PATH}/${unknown}/redeliver`],
    ] as const) {
      const { status, body } = await service.call<{ error_code: string }>(method, path);
      assert.deepEqual([status, body.error_code], [404, "DELIVERY_NOT_FOUND"]);
    }
});

testOnBoth("a redelivery begins again from attempt 1, from any status, with the same bytes", async (service, t) => {
  const { call } = service;
  const hook = await receiver(t, (response) => response.writeHead(hook.received.length > 2 ? 500 : 200).end());
  const task = await endedTask(service, hook.url);
  const { id } = await ofTask(service, task);
  const again = () => call<WebhookDelivery>("POST", `${PATH}/${id}/redeliver`);
  assert.equal((await again()).body.status, "PENDING");
  await deliver(service);
  for (const before of ["SUCCEEDED", "SUCCEEDED", "FAILED"]) {
    assert.equal((await ofTask(service, task)).status, before);
    service.clock.advance(1000);
    const { status, body } = await again();
    assert.equal(status, 200);
    assert.deepEqual(
      [body.status, body.attempt_count, body.next_attempt_at],
      ["PENDING", 0, new Date(service.clock.now()).toISOString()],
    );
    await deliver(service);
  }
  await service.ctx.db.write((tx) =>
    tx.query.updateTable("deliveries").set({ status: "ABANDONED", next_attempt_at: null }).execute(),
  );
  assert.equal((await again()).body.status, "PENDING");
  await deliver(service);
  assert.equal(hook.received.length, 5);
  assert.equal(new Set(hook.received.map(({ body }) => body)).size, 1);
  const { attempts } = (await call<WholeWebhookDelivery>("GET", `${PATH}/${id}`)).body;
  assert.deepEqual(
    attempts.map(({ cycle, attempt }) => [cycle, attempt]),
    [2, 3, 4, 5, 6].map((cycle) => [cycle, 1]),
  );
});

testOnBoth("a redelivery while an attempt is under way neither loses nor doubles the row", async (service, t) => {
  const { ctx, call } = service;
  let answerFirst = () => {};
  const hook = await receiver(t, (response) => {
    if (hook.received.length === 1) answerFirst = () => void response.writeHead(500).end();
    else response.end();
  });
  const task = await endedTask(service, hook.url);
  const { id } = await ofTask(service, task);
  await ctx.deliveries.turn();
  await hook.until(1);
  assert.equal((await call("POST", `${PATH}/${id}/redeliver`)).status, 200);
  answerFirst();
  await ctx.deliveries.settle();
  assert.deepEqual([(await ofTask(service, task)).status, (await ofTask(service, task)).attempt_count], ["PENDING", 0]);
  for (let i = 0; i < 3; i++) await deliver(service);
  assert.equal(hook.received.length, 2);
  assert.equal((await ofTask(service, task)).status, "SUCCEEDED");
  assert.equal((await list(service)).rows.length, 1);
});

testOnBoth("many are redelivered by their ids, or by status and receiver", async (service, t) => {
  const hook = await receiver(t);
  const other = await receiver(t);
  const here: string[] = [];
  // More than one transaction takes.
  for (let i = 0; i < 205; i++) here.push(await endedTask(service, hook.url));
  const there = [await endedTask(service, other.url), await endedTask(service, "http://127.0.0.1:9/")];
  while ((await list(service, "?status=PENDING&limit=1")).rows.length > 0) await deliver(service);
  assert.deepEqual([hook.received.length, other.received.length], [205, 1]);

  const origin = new URL(other.url).origin;
  assert.deepEqual((await redeliver(service, { status: "SUCCEEDED", origin })).body, { count: 1 });
  assert.deepEqual(await taskIds(service, "?status=PENDING"), [there[0]]);
  assert.deepEqual((await redeliver(service, { status: "SUCCEEDED" })).body, { count: 205 });
  assert.equal((await redeliver(service, { status: "PENDING" })).body.count, 206, "each once");

  const { id } = await ofTask(service, there[1]!);
  const unknown = newId("dlv", 0, 7);
  const answer = await redeliver(service, { ids: [id, id, unknown, "nonsense"] });
  assert.deepEqual([answer.status, answer.body], [202, { count: 1 }]);
  assert.deepEqual((await redeliver(service, { ids: [] })).body, { count: 0 });
  while ((await list(service, "?status=PENDING&limit=1")).rows.length > 0) await deliver(service);
  assert.deepEqual([hook.received.length, other.received.length], [410, 2]);
});

testOnBoth("a row that leaves the status while many are redelivered is left alone", async (service, t) => {
  const hook = await receiver(t);
  const task = await endedTask(service, hook.url);
  await deliver(service);
  const { id } = await ofTask(service, task);
  const rows = (status: "FAILED" | "SUCCEEDED") =>
    service.ctx.db.write((tx) => redeliverRows(tx, [{ id, home: homeOf(task) }], status));
  assert.deepEqual(await rows("FAILED"), []);
  assert.equal((await ofTask(service, task)).status, "SUCCEEDED");
  assert.equal((await rows("SUCCEEDED")).length, 1);
});

testOnBoth("which ones must be said in exactly one way", async (service) => {
  for (const [body, status] of [
    [{}, 400],
    [{ origin: "http://a.test" }, 400],
    [{ ids: "dlv_1" }, 400],
    [{ ids: [1] }, 400],
    [{ ids: [], status: "FAILED" }, 422],
    [{ ids: [], origin: "http://a.test" }, 422],
    [{ status: "LOST" }, 422],
    [{ ids: Array.from({ length: 1001 }, () => "x") }, 422],
  ] as const)
    assert.equal((await redeliver(service, body)).status, status, JSON.stringify(body).slice(0, 60));
});

testOnBoth("health and metrics tell how late deliveries are", async (service, t) => {
  const { call, clock } = service;
  const hook = await receiver(t, (response) => response.writeHead(500).end());
  const overdue = async () =>
    (await call<{ deliveries: { overdue_seconds: number } }>("GET", "/api/health")).body.deliveries.overdue_seconds;
  assert.equal(await overdue(), 0);
  await endedTask(service, hook.url);
  clock.advance(2_500);
  assert.equal(await overdue(), 2.5);
  assert.match((await call("GET", "/metrics")).text, /^service_deliveries_overdue_seconds 2\.5$/m);
  await deliver(service);
  assert.equal(await overdue(), 0, "not due again yet");
  const { text } = await call("GET", "/metrics");
  assert.match(text, /^service_delivery_attempts_total\{outcome="failed",lane="fast"\} 1$/m);
  assert.match(text, /^service_deliveries_in_flight\{lane="slow"\} 0$/m);
  assert.match(text, /^service_deliveries_abandoned_total 0$/m);
});

/** What happens right after the next read of the database. */
let afterRead: (() => Promise<void>) | null = null;

testOnBoth(
  "a delivery is shown as it was at one moment, also when an attempt ends just then",
  async (service, t) => {
    const hook = await receiver(t, (response) => response.writeHead(500).end());
    const task = await endedTask(service, hook.url);
    await deliver(service);
    const { id } = await ofTask(service, task);
    service.clock.advance(60 * SECOND);
    let isBetween = false;
    afterRead = async () => {
      isBetween = true;
      await deliver(service);
    };
    const { body } = await service.call<WholeWebhookDelivery>("GET", `${PATH}/${id}`);
    assert.ok(isBetween);
    assert.equal(hook.received.length, 2);
    assert.deepEqual([body.attempt_count, body.attempts.length], [1, 1]);
    const after = (await service.call<WholeWebhookDelivery>("GET", `${PATH}/${id}`)).body;
    assert.deepEqual([after.attempt_count, after.attempts.length], [2, 2]);
  },
  {
    env: { SERVICE_CALLBACK_ALLOW_PRIVATE: "1" },
    db: (opened) => {
      const query = (opened.query as Kysely<Schema>).withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          const act = afterRead;
          afterRead = null;
          await act?.();
          return result;
        },
      });
      return Object.assign(Object.create(opened) as typeof opened, { query });
    },
  },
);

testOnBoth("a summary counts deliveries by status, and names the receivers where they fail", async (service, t) => {
  const [good, bad] = [await receiver(t), await receiver(t, (response) => response.writeHead(500).end())];
  await endedTask(service, good.url);
  const ids = [await endedTask(service, bad.url), await endedTask(service, bad.url)];
  // A receiver that has not answered yet gets one at a time.
  for (let i = 0; i < 3; i++) await deliver(service);
  await service.ctx.db.write((tx) =>
    tx.query
      .updateTable("deliveries")
      .set({ status: "ABANDONED", next_attempt_at: null })
      .where("task_id", "=", ids[0]!)
      .where("home", "=", homeOf(ids[0]!))
      .execute(),
  );
  const { body, text } = await service.call<DeliverySummary>("GET", `${PATH}/summary`);
  assert.deepEqual(body.counts, { PENDING: 0, SUCCEEDED: 1, FAILED: 1, ABANDONED: 1 }, text);
  assert.equal(body.is_complete, true);
  assert.deepEqual(
    body.failing.map(({ newest_id: _id, ...receiver }) => receiver),
    [{ origin: new URL(bad.url).origin, failed: 1, retrying: 1 }],
  );
  assert.equal((await ofTask(service, ids[0]!)).task, "Approve the refund?");
  assert.equal((await service.call("GET", `${PATH}/summary?project=none`)).status, 404);
});
