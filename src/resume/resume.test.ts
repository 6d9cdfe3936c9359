import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { sql } from "kysely";
import { newAgent } from "../../test/support/agents.ts";
import { newConnection } from "../../test/support/connections.ts";
import { startReceiver, type Receiver } from "../../test/support/receiver.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { COLUMNS } from "../db/columns.ts";
import type { WebhookDelivery, WholeWebhookDelivery } from "../deliveries/schema.ts";
import type { AuditEntryRecord, PollResult, TaskRecord } from "../tasks/schema.ts";

const SECRET = "only-who-knows-this-may-resume";

const RESUMED_MAX = 3;

interface Refused {
  error_code: string;
  details: { path: string; message: string }[];
}

/** An address that carries its own permission, at a receiver that answers with `status`. */
async function waiting(t: TestContext, status: () => number = () => 200): Promise<Receiver & { address: string }> {
  const receiver = await startReceiver((response: ServerResponse) => response.writeHead(status()).end("ok"));
  t.after(() => receiver.close());
  return { ...receiver, address: `${receiver.url}/${SECRET}` };
}

const ask = ({ call }: Pick<TestService, "call">, fields: object) =>
  call<TaskRecord & Refused>("POST", "/api/tasks", { body: { ...newTaskBody(), ...fields } });

async function answer({ call }: TestService, id: string): Promise<void> {
  const { status } = await call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
  assert.equal(status, 200);
}

/** Lets time pass, and everything that is due then be sent. A new receiver gets one attempt at a time. */
async function deliver({ ctx, clock }: TestService, ms = 1_000): Promise<void> {
  clock.advance(ms);
  for (let i = 0; i < RESUMED_MAX; i++) {
    await ctx.deliveries.turn();
    await ctx.deliveries.settle();
  }
}

const read = async ({ call }: Pick<TestService, "call">, id: string) =>
  (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
const statuses = ({ resume }: TaskRecord) => resume?.map(({ status }) => status);
const deliveries = async ({ call }: TestService, query: string) =>
  (await call<WebhookDelivery[]>("GET", `/api/admin/webhook-deliveries?${query}`)).body;

testOnBoth("a task that has ended resumes what waits at a URL, once, with the outcome", async (service, t) => {
  const { address, url, received } = await waiting(t);
  const { origin } = new URL(url);
  const { body: task } = await ask(service, { resume: [{ url: address }] });
  const shown = { kind: "url", url: `${origin}/…`, select: "outcome" };
  assert.deepEqual(task.resume, [{ ...shown, status: "waiting", error: null, delivery_id: null }]);
  const [stored] = (await read(service, task.id)).resume!;
  assert.deepEqual(stored, { ...shown, status: "waiting", error: null, delivery_id: stored!.delivery_id });
  await deliver(service);
  assert.deepEqual([received.length, await deliveries(service, `task_id=${task.id}`)], [0, []]);

  await answer(service, task.id);
  assert.deepEqual(statuses(await read(service, task.id)), ["pending"]);
  await deliver(service);
  const polled = (await service.call<PollResult>("GET", `/api/tasks/${task.id}/poll?timeout=0`)).body;
  const outcome = JSON.parse(received[0]!.body) as PollResult;
  assert.deepEqual([outcome.task_id, outcome.status, outcome.response], [task.id, "completed", polled.response]);
  assert.equal(received[0]!.path, new URL(address).pathname);
  assert.deepEqual(statuses(await read(service, task.id)), ["done"]);
  await deliver(service, 86_400_000);
  assert.equal(received.length, 1);

  const [row] = await deliveries(service, `task_id=${task.id}`);
  assert.deepEqual(
    [row!.id, row!.kind, row!.engine, row!.connection, row!.url, row!.status, row!.meaning],
    [stored.delivery_id, "resume", "url", null, `${origin}/…`, "SUCCEEDED", "done"],
  );
  const whole = await service.call<WholeWebhookDelivery>("GET", `/api/admin/webhook-deliveries/${row!.id}`);
  assert.deepEqual(JSON.parse(whole.body.body!), { connection: null, address: {}, select: "outcome" });
  assert.equal(whole.body.attempts[0]!.meaning, "done");
});

testOnBoth("the permission in a URL is in no row, no answer and no trail", async (service, t) => {
  const { address, received } = await waiting(t, () => 500);
  const { body: task } = await ask(service, { resume: [{ url: address }], callback_url: null });
  await answer(service, task.id);
  await deliver(service);
  assert.equal(received.length, 1);
  for (const table of Object.keys(COLUMNS)) {
    const { rows } = await sql`select * from ${sql.table(table)}`.execute(service.ctx.db.query);
    assert.ok(!JSON.stringify(rows).includes(SECRET), table);
  }
  const [row] = await deliveries(service, `task_id=${task.id}`);
  const paths = ["", "/audit"].map((end) => `/api/tasks/${task.id}${end}`);
  for (const path of [...paths, "/api/tasks", `/api/admin/webhook-deliveries/${row!.id}`]) {
    const { status, text } = await service.call("GET", path);
    assert.deepEqual([status, text.includes(SECRET)], [200, false], path);
  }
});

testOnBoth("up to three are resumed, each with what it asks for, however the task ends", async (service, t) => {
  const { address, received } = await waiting(t);
  const entry = (name: string, select?: string) => ({ url: `${address}/${name}`, ...(select && { select }) });
  const resume = [entry("a", "response"), entry("b"), entry("c", "outcome")];
  const { body: task } = await ask(service, { resume, timeout_seconds: 60 });
  await answer(service, task.id);
  await deliver(service);
  const bodies = new Map(received.map(({ path, body }) => [path.slice(-1), body]));
  assert.equal(bodies.get("a"), '{"approved":true}');
  assert.equal((JSON.parse(bodies.get("b")!) as PollResult).status, "completed");
  assert.equal(bodies.get("c"), bodies.get("b"));

  const { body: late } = await ask(service, { resume: [entry("d", "response"), entry("e")], timeout_seconds: 60 });
  service.clock.advance(60_000);
  assert.equal((await read(service, late.id)).status, "created");
  assert.equal(
    (await service.call("POST", `/api/tasks/${late.id}/complete`, { body: { response: { approved: true } } })).status,
    409,
  );
  const { body: dropped } = await ask(service, { resume: [entry("f")] });
  await service.call("POST", `/api/tasks/${dropped.id}/cancel`, { body: { reason: "not needed" } });
  await deliver(service);
  assert.equal((JSON.parse(received.at(-1)!.body) as PollResult).cancel_reason, "not needed");
  const four = await ask(service, { resume: [entry("a"), entry("b"), entry("c"), entry("d")] });
  assert.deepEqual([four.status, four.body.details[0]!.path], [422, "/resume"]);
});

testOnBoth("where nothing waits any more, no other attempt is made, and the task says so", async (service, t) => {
  const { address, received } = await waiting(t, () => 404);
  const { body: task } = await ask(service, { resume: [{ url: address }] });
  await answer(service, task.id);
  await deliver(service);
  await deliver(service, 86_400_000);
  assert.equal(received.length, 1);
  const [entry] = (await read(service, task.id)).resume!;
  assert.equal(entry!.status, "gone");
  assert.match(entry!.error!, /^gone: /);
  const { body: trail } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${task.id}/audit`);
  const failed = trail.find(({ action }) => action === "resume_failed")!;
  assert.deepEqual(failed.extra, { delivery_id: entry!.delivery_id, attempts: 1, kind: "url", error: entry!.error });
});

testOnBoth(
  "an engine that is down is tried again, as often as a callback, and an operator can start over",
  async (service, t) => {
    let status = 503;
    const { address, received } = await waiting(t, () => status);
    const { body: task } = await ask(service, { resume: [{ url: address }] });
    await answer(service, task.id);
    await deliver(service);
    assert.deepEqual(statuses(await read(service, task.id)), ["pending"]);
    for (let i = 0; i < 20; i++) await deliver(service, 86_460_000);
    assert.deepEqual([received.length, statuses(await read(service, task.id))], [13, ["failed"]]);

    status = 200;
    const [{ id }] = (await deliveries(service, `task_id=${task.id}&kind=resume`)) as [WebhookDelivery];
    assert.equal((await service.call("POST", `/api/admin/webhook-deliveries/${id}/redeliver`)).status, 200);
    await deliver(service);
    assert.deepEqual([received.length, statuses(await read(service, task.id))], [14, ["done"]]);
  },
);

testOnBoth("what waits for an open task is no delivery yet, so it cannot be sent", async (service, t) => {
  const { address, received } = await waiting(t);
  const { body: task } = await ask(service, { resume: [{ url: address }] });
  const { delivery_id } = (await read(service, task.id)).resume![0]!;
  const path = `/api/admin/webhook-deliveries/${delivery_id}`;
  assert.equal((await service.call("GET", path)).status, 404);
  assert.equal((await service.call("POST", `${path}/redeliver`)).status, 404);
  const { body } = await service.call<{ count: number }>("POST", "/api/admin/webhook-deliveries/redeliver", {
    body: { status: "SUCCEEDED" },
  });
  assert.equal(body.count, 0);
  await deliver(service);
  assert.equal(received.length, 0);
  await service.call("DELETE", `/api/tasks/${task.id}`);
  await deliver(service);
  assert.equal(received.length, 0);
});

testOnBoth("a request that is sent again is the same one only with the same entries", async (service, t) => {
  const { address } = await waiting(t);
  const body = { ...newTaskBody(), resume: [{ url: address, select: "outcome" }] };
  const send = (resume: unknown) => service.call<TaskRecord>("POST", "/api/tasks", { body: { ...body, resume } });
  const first = await send(body.resume);
  assert.equal(first.status, 201);
  const repeated: [resume: unknown, isSame: boolean][] = [
    [[{ url: address, select: "outcome" }], true],
    [[{ select: "outcome", url: address, connection: null }], true],
    [[{ url: `${address}0`, select: "outcome" }], false],
    [[{ url: address, select: "response" }], false],
    [[], false],
    [null, false],
    [7, false],
  ];
  for (const [resume, isSame] of repeated) {
    const { status, body: again, headers } = await send(resume);
    assert.deepEqual([status, again.id, headers["idempotent-replayed"]], [201, first.body.id, "true"]);
    assert.equal(headers["idempotent-mismatch"], isSame ? undefined : "true", JSON.stringify(resume));
  }
});

testOnBoth("entries that cannot be meant are refused, with their place, and nothing is stored", async (service) => {
  const langgraph = { name: "langgraph", kind: "langgraph", address: { url: "http://127.0.0.1:9" }, secret: null };
  await newConnection(service, langgraph);
  const thread = { connection: "langgraph", thread_id: "01a21e28-f213-742b-9537-3e75c35350aa", assistant_id: "agent" };
  const refused: [resume: unknown, path: string][] = [
    [[{ ...thread, continue: true, select: "response" }], "/resume/0/select"],
    [[{ ...thread, continue: "yes" }], "/resume/0/continue"],
    [[{}], "/resume/0"],
    [[{ select: "outcome" }], "/resume/0"],
    [[{ url: "ftp://example.com/x" }], "/resume/0/url"],
    [[{ url: "https://user:pass@example.com/" }], "/resume/0/url"],
    [[{ url: "https://example.com/a", select: "all" }], "/resume/0/select"],
    [[{ url: "https://example.com/a" }, { connection: "nothing" }], "/resume/1/connection"],
    [[{ connection: "con_01kajv3mzt8w5rq0e4v9c2n7xb" }], "/resume/0/connection"],
    [["https://example.com"], "/resume/0"],
    [{ url: "https://example.com" }, "/resume"],
  ];
  for (const [resume, path] of refused) {
    const { status, body } = await ask(service, { resume });
    assert.ok(status === 400 || status === 422, JSON.stringify(resume));
    assert.equal(body.details[0]!.path, path, JSON.stringify(body));
  }
  assert.deepEqual((await service.call<TaskRecord[]>("GET", "/api/tasks")).body, []);
  const { rows } = await sql`select id from deliveries`.execute(service.ctx.db.query);
  assert.deepEqual(rows, []);
});

testOnBoth(
  "addresses of private networks are refused where callbacks may not go there either",
  async (service) => {
    const { status, body } = await ask(service, { resume: [{ url: "http://127.0.0.1:9/a" }] });
    assert.deepEqual([status, body.details[0]!.path], [422, "/resume/0/url"]);
  },
  { env: { SERVICE_CALLBACK_ALLOW_PRIVATE: "0" } },
);

testOnBoth("only those who see where a callback goes see what is resumed", async (service, t) => {
  const { address } = await waiting(t);
  const [agent, other] = [await newAgent(service), await newAgent(service, { scopes: ["ask", "read"] })];
  const { body: task } = await ask(agent, { resume: [{ url: address }] });
  assert.deepEqual(statuses(await read(agent, task.id)), ["waiting"]);
  assert.equal((await read(other, task.id)).resume, undefined);
});
