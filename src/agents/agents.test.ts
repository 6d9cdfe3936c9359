import assert from "node:assert/strict";
import { EMBED_ENV, mint } from "../../test/support/embed.ts";
import { newAgent, type TestAgent } from "../../test/support/agents.ts";
import { person } from "../../test/support/people.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { recordNotification } from "../tasks/audit.ts";
import { pollTask } from "../tasks/tasks.ts";
import type { AuditEntryRecord, ListedTask, PollResult, TaskRecord } from "../tasks/schema.ts";
import { cancelOpenTasksOf, startCancelling } from "./cancel-tasks.ts";
import type { AgentRecord } from "./schema.ts";

const DAY = 86_400_000;

const create = async (agent: TestAgent, fields: object = {}): Promise<TaskRecord> => {
  const { status, body, text } = await agent.call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody(fields) });
  assert.equal(status, 201, text);
  return body;
};

const read = async ({ call }: TestService, id: string) => (await call<AgentRecord>("GET", `/api/agents/${id}`)).body;

testOnBoth("who asked is on the task, in its trail, its polls and its lists", async (service) => {
  const agent = await newAgent(service, { name: "refunds-bot" });
  const on_behalf_of = { name: "Mia", email: "mia@example.com", id: "customer-17" };
  const { id, asked_by, ...task } = await create(agent, { on_behalf_of });
  assert.deepEqual(asked_by, { kind: "agent", id: agent.id, name: "refunds-bot" });
  assert.deepEqual(task.on_behalf_of, on_behalf_of);
  assert.equal(task.decided_by, null);

  const { body: listed } = await service.call<ListedTask[]>("GET", `/api/tasks?agent=${agent.id}`);
  assert.deepEqual(
    listed.map((row) => [row.id, row.asked_by, row.on_behalf_of]),
    [[id, asked_by, on_behalf_of]],
  );
  const { body: found } = await service.call<ListedTask[]>("GET", "/api/tasks?q=Refunds-");
  assert.deepEqual(
    found.map((row) => row.id),
    [id],
  );

  const { call, user } = await person(service, { is_operator: true, display_name: "Dana Ek" });
  await call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
  const decided_by = { kind: "person", user_id: user.id, email: user.email, name: "Dana Ek", channel: "dashboard" };
  const { body: polled } = await agent.call<PollResult>("GET", `/api/tasks/${id}/poll?timeout=0`);
  assert.deepEqual([polled.asked_by, polled.on_behalf_of, polled.decided_by], [asked_by, on_behalf_of, decided_by]);
  const { body: trail } = await agent.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  const [first, last] = [trail[0]!, trail.at(-1)!];
  assert.deepEqual([first.agent_id, first.agent_name], [agent.id, "refunds-bot"]);
  assert.deepEqual([first.asked_by, first.on_behalf_of, first.decided_by], [asked_by, on_behalf_of, undefined]);
  assert.deepEqual([last.action, last.decided_by, last.agent_id], ["completed", decided_by, null]);
});

testOnBoth("of the entries of a trail, only the decision says who decided", async (service) => {
  const agent = await newAgent(service);
  const { id } = await create(agent);
  await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
  const notification = { channel: "email", to: "dana@example.com", purpose: "ended" } as const;
  await service.ctx.db.write((tx) => recordNotification(tx, id, notification));
  const { body: trail } = await agent.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  assert.deepEqual(
    trail.map(({ action, to_status, decided_by }) => [action, to_status, decided_by?.kind]),
    [
      ["created", "created", undefined],
      ["completed", "completed", "admin"],
      ["notification_sent", "completed", undefined],
    ],
  );
});

testOnBoth("a person and the admin token are askers too", async (service) => {
  const { call, user } = await person(service, { is_operator: true, display_name: null });
  const { body } = await call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody() });
  assert.deepEqual(body.asked_by, { kind: "user", id: user.id, name: user.email });
  assert.deepEqual((await service.create()).asked_by, { kind: "admin", id: null, name: "admin" });
});

testOnBoth("an answer that a token gives in a person's name is the token's decision", async (service) => {
  const agent = await newAgent(service, { name: "desk", scopes: ["ask", "answer"] });
  const { id } = await create(agent);
  const body = { response: { approved: true }, completed_by_email: "dana@example.com", completed_via_channel: "phone" };
  const { body: task } = await agent.call<TaskRecord>("POST", `/api/tasks/${id}/complete`, { body });
  assert.equal(task.completed_by_email, "dana@example.com");
  const nobody = { user_id: null, email: null };
  assert.deepEqual(task.decided_by, { kind: "agent", ...nobody, name: "desk", channel: "phone" });
  const other = await service.create();
  const { body: admins } = await service.call<TaskRecord>("POST", `/api/tasks/${other.id}/complete`, { body });
  assert.deepEqual(admins.decided_by, { kind: "admin", ...nobody, name: "admin", channel: "phone" });
});

testOnBoth("two agents with the same key get two tasks, and each finds its own", async (service) => {
  const [one, two] = [await newAgent(service), await newAgent(service)];
  const { call } = await person(service, { is_operator: true });
  const body = newTaskBody({ idempotency_key: "refund-1" });
  const ids: string[] = [];
  for (const ask of [one.call, two.call, service.call, call]) {
    const first = await ask<TaskRecord>("POST", "/api/tasks", { body });
    const again = await ask<TaskRecord>("POST", "/api/tasks", { body });
    assert.deepEqual([first.headers["idempotent-replayed"], again.headers["idempotent-replayed"]], ["false", "true"]);
    assert.equal(again.body.id, first.body.id);
    const found = await ask<ListedTask[]>("GET", "/api/tasks?key=refund-1");
    assert.deepEqual(
      found.body.map(({ id }) => id),
      [first.body.id],
    );
    ids.push(first.body.id);
  }
  assert.equal(new Set(ids).size, 4);
});

testOnBoth("an agent lists and counts its own tasks, with the scope read all", async (service) => {
  const [one, two] = [await newAgent(service), await newAgent(service, { scopes: ["ask", "read"] })];
  const [mine, theirs, admins] = [await create(one), await create(two), await service.create()];
  const ids = async (ask: TestService["call"], query = "") =>
    (await ask<ListedTask[]>("GET", `/api/tasks${query}`)).body.map(({ id }) => id);
  for (const query of ["", "?sort=deadline", "?status=created", "?terminal=false&limit=5"])
    assert.deepEqual(await ids(one.call, query), [mine.id], query);
  assert.deepEqual((await ids(two.call)).toSorted(), [mine.id, theirs.id, admins.id].toSorted());
  assert.deepEqual(await ids(two.call, `?agent=${one.id}`), [mine.id]);
  assert.deepEqual(await ids(one.call, `?agent=${two.id}`), []);
  assert.deepEqual([await ids(one.call, "?agent=me"), await ids(two.call, "?agent=me")], [[mine.id], [theirs.id]]);
  const nobody = await service.call("GET", "/api/tasks?agent=me");
  assert.deepEqual([nobody.status, nobody.body["error_code"]], [422, "VALIDATION_FAILED"]);
  assert.deepEqual(await ids(one.call, `?q=${theirs.id}`), []);
  assert.deepEqual(await ids(one.call, `?key=${theirs.idempotency_key}`), []);
  const counts = async (ask: TestService["call"]) => (await ask("GET", "/api/tasks/counts")).body["open"];
  assert.deepEqual([await counts(one.call), await counts(two.call)], [1, 3]);
  await one.call("POST", `/api/tasks/${mine.id}/cancel`);
  const { body } = await one.call("GET", "/api/tasks/counts");
  assert.deepEqual([body["open"], body["closed_today"]], [0, 1]);
});

testOnBoth("an agent sees where its own task is sent, and not that of another's", async (service) => {
  const one = await newAgent(service);
  const reader = await newAgent(service, { scopes: ["read"] });
  const { id } = await create(one, { callback_url: "http://127.0.0.1:1/callback" });
  const seen = async ({ call }: TestAgent) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body.callback_url;
  assert.deepEqual([await seen(one), await seen(reader)], ["http://127.0.0.1:1/callback", undefined]);
});

testOnBoth("two live tokens allow a rotation without a gap, and a third is refused", async (service) => {
  const agent = await newAgent(service);
  const path = `/api/agents/${agent.id}/tokens`;
  const { body: second } = await service.call<{ id: string; token: string }>("POST", path, { body: {} });
  const { status, body } = await service.call("POST", path, { body: {} });
  assert.deepEqual([status, body["error_code"]], [409, "AGENT_TOKEN_LIMIT"]);
  for (const token of [agent.token, second.token])
    assert.equal((await service.call("GET", "/api/tasks", { token })).status, 200);
  await service.call("DELETE", `${path}/${agent.token_id}`);
  const old = await agent.call("GET", "/api/tasks");
  assert.deepEqual([old.status, old.body["error_code"]], [401, "AGENT_TOKEN_REVOKED"]);
  assert.equal((await service.call("GET", "/api/tasks", { token: second.token })).status, 200);
  assert.deepEqual(
    (await read(service, agent.id)).tokens.map(({ id, prefix }) => [id, prefix]),
    [[second.id, second.token.slice(0, 15)]],
  );
  assert.equal((await service.call("POST", path, { body: {} })).status, 201);
});

testOnBoth("a token expires, and a mistyped one is no token", async (service) => {
  const agent = await newAgent(service, {}, { expires_in_days: 2 });
  assert.equal((await agent.call("GET", "/api/tasks")).status, 200);
  service.clock.advance(2 * DAY);
  const { status, body } = await agent.call("GET", "/api/tasks");
  assert.deepEqual([status, body["error_code"]], [401, "AGENT_TOKEN_REVOKED"]);
  const mistyped = agent.token.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  const refused = await service.call("GET", "/api/tasks", { token: mistyped });
  assert.deepEqual([refused.status, refused.body["error_code"]], [401, "UNAUTHENTICATED"]);
  assert.deepEqual((await read(service, agent.id)).tokens, []);
});

testOnBoth("no table and no answer has the token but the one that creates it", async (service) => {
  const agent = await newAgent(service);
  const secret = agent.token.slice(15);
  const rows = await service.ctx.db.query.selectFrom("agent_tokens").selectAll().execute();
  const { text } = await service.call("GET", `/api/agents/${agent.id}`);
  const events = await service.call("GET", "/api/security-events");
  for (const shown of [JSON.stringify(rows), text, events.text]) assert.ok(!shown.includes(secret), shown);
});

testOnBoth(
  "a poll that came before its agent was stopped is not told of the tasks that the stop cancelled",
  async (service) => {
    const agent = await newAgent(service);
    const { id } = await create(agent);
    const caller = (await service.ctx.agents.find(agent.token))!;
    await service.call("PATCH", `/api/agents/${agent.id}`, { body: { disabled: true, cancel_open_tasks: true } });
    const { signal } = new AbortController();
    for (const seconds of [0, 60])
      await assert.rejects(pollTask(service.ctx, caller, id, seconds, signal), { code: "AGENT_DISABLED" });
  },
);

testOnBoth("a stopped agent is refused at once, and its open tasks are cancelled when asked", async (service) => {
  const [agent, other] = [await newAgent(service), await newAgent(service)];
  const open = await Promise.all(Array.from({ length: 150 }, () => create(agent)));
  const theirs = await create(other);
  const polling = agent.call("GET", `/api/tasks/${open[0]!.id}/poll?timeout=60`);
  const path = `/api/agents/${agent.id}`;
  while (service.ctx.waiters.count() === 0) await new Promise((resolve) => setImmediate(resolve));
  const stopped = await service.call<AgentRecord>("PATCH", path, { body: { disabled: true, cancel_open_tasks: true } });
  assert.deepEqual([stopped.status, stopped.body.open_tasks], [200, 0], stopped.text);
  assert.notEqual(stopped.body.disabled_at, null);
  const poll = await polling;
  assert.deepEqual([poll.status, poll.body["error_code"]], [401, "AGENT_DISABLED"]);
  for (const ask of ["/api/tasks", `/api/tasks/${open[1]!.id}`])
    assert.equal((await agent.call("GET", ask)).body["error_code"], "AGENT_DISABLED");
  const { body: task } = await service.call<TaskRecord>("GET", `/api/tasks/${open[1]!.id}`);
  assert.deepEqual([task.status, task.cancel_reason], ["cancelled", "The agent was stopped."]);
  assert.equal((await service.call<TaskRecord>("GET", `/api/tasks/${theirs.id}`)).body.status, "created");

  await service.call("PATCH", path, { body: { disabled: false } });
  assert.equal((await agent.call("GET", "/api/tasks")).status, 200);
});

testOnBoth("deleting an agent keeps its tasks and its name on them", async (service) => {
  const agent = await newAgent(service, { name: "old-bot" });
  const { id } = await create(agent);
  assert.equal((await service.call("DELETE", `/api/agents/${agent.id}`)).status, 204);
  const { status, body } = await agent.call("GET", "/api/tasks");
  assert.deepEqual([status, body["error_code"]], [401, "AGENT_TOKEN_REVOKED"]);
  assert.equal((await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.asked_by.name, "old-bot");
  assert.equal((await service.call("GET", `/api/agents/${agent.id}`)).body["error_code"], "AGENT_NOT_FOUND");
  // The name is free again, and the new agent has a space of keys of its own.
  const next = await newAgent(service, { name: "old-bot" });
  assert.notEqual(next.id, agent.id);
});

testOnBoth("names are unique, and wrong values are named", async (service) => {
  const agent = await newAgent(service, { name: "a.b-c_1" });
  const answer = async (method: "POST" | "PATCH", path: string, body: object) => {
    const { status, body: said } = await service.call(method, path, { body });
    return [status, said["error_code"]];
  };
  assert.deepEqual(await answer("POST", "/api/agents", { name: "a.b-c_1" }), [409, "AGENT_ALREADY_EXISTS"]);
  const other = await newAgent(service);
  assert.deepEqual(await answer("PATCH", `/api/agents/${other.id}`, { name: "a.b-c_1" }), [
    409,
    "AGENT_ALREADY_EXISTS",
  ]);
  for (const name of ["", "A", "a b", "x".repeat(65), "é", "admin"])
    assert.deepEqual(await answer("POST", "/api/agents", { name }), [422, "VALIDATION_FAILED"], name);
  assert.deepEqual(await answer("POST", "/api/agents", {}), [400, "MALFORMED_REQUEST"]);
  for (const body of [
    { owner_user_id: "usr_nobody" },
    { max_open_tasks: 0 },
    { max_tasks_per_minute: 0 },
    { scopes: ["all"] },
    { recipients: { mode: "some" } },
    { cancel_open_tasks: true },
  ])
    assert.equal((await answer("PATCH", `/api/agents/${agent.id}`, body))[0], 422, JSON.stringify(body));
  for (const expires_in_days of [0, 366])
    assert.equal((await answer("POST", `/api/agents/${agent.id}/tokens`, { expires_in_days }))[0], 422);
});

testOnBoth("agents are listed page by page, the newest first", async (service) => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift((await newAgent(service)).id);
  const seen: string[] = [];
  let next: string | undefined = "/api/agents?limit=2";
  while (next !== undefined) {
    const page: Awaited<ReturnType<typeof service.call<AgentRecord[]>>> = await service.call("GET", next);
    seen.push(...page.body.map(({ id }) => id));
    next = /<([^>]+)>; rel="next"/.exec(page.headers["link"] ?? "")?.[1];
  }
  assert.deepEqual(seen, ids);
});

testOnBoth("when an agent was last used is known to within a minute", async (service) => {
  const agent = await newAgent(service);
  assert.equal((await read(service, agent.id)).last_used_at, null);
  await agent.call("GET", "/api/tasks");
  const { last_used_at, tokens } = await read(service, agent.id);
  assert.equal(last_used_at, new Date(service.clock.now()).toISOString());
  assert.equal(tokens[0]!.last_used_at, last_used_at);
});

testOnBoth(
  "an embed token ends with the token of the agent that created it",
  async (service) => {
    const agent = await newAgent(service, { scopes: ["ask", "embed"] });
    const { body: other } = await service.call<{ token: string }>("POST", `/api/agents/${agent.id}/tokens`, {
      body: {},
    });
    const { id } = await create(agent);
    const seen = async (minted: Awaited<ReturnType<typeof mint>>) => {
      assert.equal(minted.status, 200, minted.text);
      return async () => (await service.call("GET", "/api/embed/task", { token: minted.body.embed_token })).status;
    };
    const [first, second] = [
      await seen(await mint(service, agent.token, { task_id: id })),
      await seen(await mint(service, other.token, { task_id: id })),
    ];
    assert.deepEqual([await first(), await second()], [200, 200]);
    const path = `/api/agents/${agent.id}`;
    await service.call("DELETE", `${path}/tokens/${agent.token_id}`);
    assert.deepEqual([await first(), await second()], [401, 200]);
    await service.call("PATCH", path, { body: { scopes: ["ask"] } });
    assert.equal(await second(), 401);
    const theirs = await newAgent(service, { scopes: ["ask", "embed"] });
    assert.equal((await mint(service, theirs.token, { task_id: id })).status, 404);
  },
  { env: EMBED_ENV },
);

testOnBoth("a scope that is taken away counts for what is under way", async (service) => {
  const reader = await newAgent(service, { scopes: ["ask", "read"] });
  const { id } = await service.create();
  const polling = reader.call("GET", `/api/tasks/${id}/poll?timeout=60`);
  while (service.ctx.waiters.count() === 0) await new Promise((resolve) => setImmediate(resolve));
  await service.call("PATCH", `/api/agents/${reader.id}`, { body: { scopes: ["ask"] } });
  await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
  const { status, body } = await polling;
  assert.deepEqual([status, body["error_code"]], [404, "TASK_NOT_FOUND"]);
});

testOnBoth("tasks are cancelled in the name of the operator who stopped their agent", async (service) => {
  const operator = await person(service, { is_operator: true });
  const [agent, other] = [await newAgent(service), await newAgent(service)];
  const tasks = [await create(agent), await create(other)];
  const stop = { body: { disabled: true, cancel_open_tasks: true } };
  assert.equal((await operator.call("PATCH", `/api/agents/${agent.id}`, stop)).status, 200);
  assert.equal((await service.call("PATCH", `/api/agents/${other.id}`, stop)).status, 200);
  const cancelled = await Promise.all(
    tasks.map(async ({ id }) => {
      const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
      const { body: trail } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
      const { actor_type, actor_email } = trail.at(-1)!;
      return [body.cancelled_by, actor_type, actor_email];
    }),
  );
  assert.deepEqual(cancelled, [
    [operator.user.email, "human", operator.user.email],
    [null, "system", null],
  ]);
});

testOnBoth("an agent that may go on keeps the tasks that it creates from then on", async (service) => {
  const agent = await newAgent(service);
  const before = await create(agent);
  const path = `/api/agents/${agent.id}`;
  await service.call("PATCH", path, { body: { disabled: true, cancel_open_tasks: true } });
  await service.call("PATCH", path, { body: { disabled: false } });
  const after = await create(agent);
  await cancelOpenTasksOf(service.ctx, agent.id);
  const status = async ({ id }: TaskRecord) => (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.status;
  assert.deepEqual([await status(before), await status(after)], ["cancelled", "created"]);
  // A second stop, which leaves its tasks open.
  await service.call("PATCH", path, { body: { disabled: true } });
  await startCancelling(service.ctx).stop();
  await cancelOpenTasksOf(service.ctx, agent.id);
  assert.equal(await status(after), "created");
});

testOnBoth(
  "a task that was being created when its agent was stopped is cancelled as well, in the same name",
  async (service) => {
    const { ctx } = service;
    const agent = await newAgent(service);
    const operator = await person(service, { is_operator: true });
    const { taskCreator } = ctx;
    ctx.taskCreator = async (...rows) => {
      // The request was identified before.
      await operator.call("PATCH", `/api/agents/${agent.id}`, { body: { disabled: true, cancel_open_tasks: true } });
      return taskCreator(...rows);
    };
    const late = await create(agent);
    assert.equal(late.status, "created");
    // The first look begins at once, and the end of the sweep waits for it.
    await startCancelling(ctx).stop();
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${late.id}`);
    assert.deepEqual([body.status, body.cancelled_by], ["cancelled", operator.user.email]);
  },
);
