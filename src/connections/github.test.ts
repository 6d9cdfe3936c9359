import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { newAgent } from "../../test/support/agents.ts";
import { newConnection } from "../../test/support/connections.ts";
import { APP_KEY, startGithub, type DeliveryOptions, type GithubRun } from "../../test/support/engines/github.ts";
import { person } from "../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import type { ReceivedWebhook } from "./schema.ts";

type Answered = ReceivedWebhook & { error_code: string; details: { path: string; message: string }[] };

/** A GitHub App whose webhook goes to a connection of the service. */
async function start(t: TestContext, service: TestService, asks: object = {}) {
  const engine = await startGithub(t);
  const agent = await newAgent(service);
  const connection = await newConnection(service, {
    ...engine.connection,
    name: "github",
    kind: "github",
    asks: { agent_id: agent.id, ...asks },
  });
  const run = await engine.wait();
  const send = (options: DeliveryOptions = {}, of: GithubRun = run) => {
    const { headers, body } = engine.delivery(of, options);
    return service.call<Answered>("POST", `/api/connections/${connection.id}/github`, {
      raw: body,
      headers,
      token: null,
    });
  };
  return { engine, agent, connection, run, send };
}

const tasksOf = async ({ call }: TestService) => (await call<TaskRecord[]>("GET", "/api/tasks")).body;

async function deliver({ ctx, clock }: TestService): Promise<void> {
  clock.advance(1_000);
  await ctx.deliveries.turn();
  await ctx.deliveries.settle();
}

testOnBoth("a deployment that waits becomes a task, and the decision lets it go or stops it", async (service, t) => {
  const dana = await person(service);
  const { engine, agent, run, send } = await start(t, service, { assign_to: { email: dana.user.email } });
  const decided: [decision: object, state: string][] = [
    [{ decision: "approve" }, "approved"],
    [{ decision: "reject", message: "Not on a Friday." }, "rejected"],
  ];
  let waits = run;
  for (const [response, state] of decided) {
    const { status, body } = await send({}, waits);
    assert.deepEqual([status, body.result], [200, "task"]);
    const { body: task } = await service.call<TaskRecord>("GET", `/api/tasks/${body.task_id}`);
    assert.equal(task.task, "Deploy octo-org/shop to production?");
    assert.deepEqual([task.asked_by.id, task.assigned_to_email], [agent.id, dana.user.email]);
    assert.equal((await dana.call("POST", `/api/tasks/${task.id}/complete`, { body: { response } })).status, 200);
    await deliver(service);
    assert.deepEqual(waits.received, [state]);
    assert.match(waits.comments()[0]!, new RegExp(task.id));
    waits = await engine.wait();
  }
});

testOnBoth("a webhook that is sent again creates no second task, also at the same time", async (service, t) => {
  const { send } = await start(t, service);
  const all = await Promise.all(Array.from({ length: 4 }, () => send()));
  assert.deepEqual(
    all.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  assert.equal(new Set(all.map(({ body }) => body.task_id)).size, 1);
  assert.equal((await tasksOf(service)).length, 1);
});

testOnBoth("only what GitHub signed is read", async (service, t) => {
  const { send, connection, engine, run } = await start(t, service);
  const forged = await send({ secret: "guessed" });
  assert.deepEqual([forged.status, forged.body.error_code], [401, "INVALID_GITHUB_SIGNATURE"]);
  const path = `/api/connections/${connection.id}/github`;
  const { headers, body } = engine.delivery(run);
  const { "x-hub-signature-256": _signature, ...unsigned } = headers;
  const without = await service.call<Answered>("POST", path, { raw: body, headers: unsigned, token: null });
  assert.equal(without.status, 401);
  const changed = await service.call<Answered>("POST", path, { raw: `${body} `, headers, token: null });
  assert.equal(changed.status, 401);
  const foreign = await newConnection(service);
  for (const id of [foreign.id, "con_00000000000000000000000000", "x"]) {
    const other = await service.call<Answered>("POST", `/api/connections/${id}/github`, {
      raw: body,
      headers,
      token: null,
    });
    assert.deepEqual([other.status, other.body.error_code], [404, "CONNECTION_NOT_FOUND"]);
  }
  // Without a webhook secret, nothing is signed.
  const fields = { ...engine.connection, secret: APP_KEY, name: "without a webhook", kind: "github" };
  const { id } = await newConnection(service, fields);
  const unkeyed = engine.delivery(run, { secret: "" });
  const refused = await service.call<Answered>("POST", `/api/connections/${id}/github`, {
    raw: unkeyed.body,
    headers: unkeyed.headers,
    token: null,
  });
  assert.deepEqual([refused.status, refused.body.error_code], [401, "INVALID_GITHUB_SIGNATURE"]);
  assert.deepEqual(await tasksOf(service), []);
});

testOnBoth("other events, and an app without an agent, ask for nothing", async (service, t) => {
  const { send, connection } = await start(t, service);
  for (const options of [
    { event: "ping" },
    { change: (payload: Record<string, unknown>) => void (payload["action"] = "completed") },
  ]) {
    const { status, body } = await send(options);
    assert.deepEqual([status, body.result], [200, "ignored"]);
  }
  const bad = await send({ change: (payload) => void delete payload["environment"] });
  assert.deepEqual([bad.status, bad.body.error_code], [400, "MALFORMED_REQUEST"]);
  await service.call("PATCH", `/api/connections/${connection.id}`, { body: { asks: null } });
  assert.equal((await send()).body.result, "ignored");
  assert.deepEqual(await tasksOf(service), []);
});

testOnBoth("the agent's limits and its stop count for the tasks of the app", async (service, t) => {
  const { send, agent } = await start(t, service, { notify: ["email:mallory@evil.example"] });
  await service.call("PATCH", `/api/agents/${agent.id}`, {
    body: { recipients: { mode: "list", domains: ["example.com"] } },
  });
  const refused = await send();
  assert.deepEqual([refused.status, refused.body.error_code], [422, "RECIPIENT_NOT_ALLOWED"]);
  await service.call("PATCH", `/api/agents/${agent.id}`, { body: { recipients: null, disabled: true } });
  const stopped = await send();
  assert.deepEqual([stopped.status, stopped.body.error_code], [401, "AGENT_DISABLED"]);
  assert.deepEqual(await tasksOf(service), []);
});

testOnBoth("who asks must be an agent of the project, and only where the engine creates tasks", async (service, t) => {
  const engine = await startGithub(t);
  const agent = await newAgent(service);
  const create = (fields: object) =>
    service.call<Answered>("POST", "/api/connections", {
      body: { ...engine.connection, name: "github", kind: "github", ...fields },
    });
  const unknown = await create({ asks: { agent_id: "agt_00000000000000000000000000" } });
  assert.deepEqual([unknown.status, unknown.body.details[0]!.path], [422, "/asks/agent_id"]);
  const address = { url: "http://127.0.0.1:9", namespace: "default" };
  const wrong = await create({ kind: "temporal", address, secret: "a-key", asks: { agent_id: agent.id } });
  assert.deepEqual([wrong.status, wrong.body.details[0]!.path], [422, "/asks"]);
});

testOnBoth("a connection that lets GitHub create tasks needs the webhook secret, now and later", async (service, t) => {
  const { secret, address } = (await startGithub(t)).connection;
  const asks = { agent_id: (await newAgent(service)).id };
  const fields = { kind: "github", name: "github", address };
  const isRefused = ({ status, body }: { status: number; body: Answered }) => {
    assert.deepEqual([status, body.details[0]!.path], [422, "/secret"]);
    assert.match(body.details[0]!.message, /webhook secret of the app/);
  };
  isRefused(await service.call("POST", "/api/connections", { body: { ...fields, secret: APP_KEY, asks } }));

  const { id } = await newConnection(service, { ...fields, secret: APP_KEY });
  const change = async (body: object) => service.call<Answered>("PATCH", `/api/connections/${id}`, { body });
  isRefused(await change({ asks }));
  isRefused(await change({ asks, secret: APP_KEY }));
  assert.equal((await change({ asks, secret })).status, 200);
  isRefused(await change({ secret: APP_KEY }));
  assert.equal((await change({ secret: APP_KEY, asks: null })).status, 200);
});
