import assert from "node:assert/strict";
import { newAgent, type TestAgent } from "../../test/support/agents.ts";
import { newTaskBody, testOnBoth, type Answer } from "../../test/support/service.ts";
import type { AgentCaller } from "../people/agent-caller.ts";
import { takeOfMinute, unknownMinute } from "./minute-limit.ts";
import type { AgentRecord } from "./schema.ts";

const MINUTE = 60_000;

const create = ({ call }: TestAgent, fields: object = {}) => call("POST", "/api/tasks", { body: newTaskBody(fields) });

/** How many were created, and what the others got. */
function countOf(answers: readonly Answer<Record<string, unknown>>[]): { created: number; refusals: unknown[] } {
  const refused = answers.filter(({ status }) => status !== 201);
  for (const { headers } of refused) assert.ok(Number(headers["retry-after"]) >= 1);
  return {
    created: answers.length - refused.length,
    refusals: [...new Set(refused.map(({ status, body }) => `${status} ${String(body["error_code"])}`))],
  };
}

testOnBoth("an agent creates as many tasks in a minute as it may, however many it sends at once", async (service) => {
  const agent = await newAgent(service, { max_tasks_per_minute: 40 });
  const other = await newAgent(service);
  const answers = await Promise.all(Array.from({ length: 60 }, () => create(agent)));
  assert.deepEqual(countOf(answers), { created: 40, refusals: ["429 AGENT_LIMIT"] });
  assert.equal((await create(other)).status, 201, "another agent is not limited");
  assert.equal((await service.call("POST", "/api/tasks", { body: newTaskBody() })).status, 201);
  const { body } = await service.call<AgentRecord>("GET", `/api/agents/${agent.id}`);
  assert.equal(body.limited_at, new Date(service.clock.now()).toISOString());
  service.clock.advance(MINUTE);
  assert.equal((await create(agent)).status, 201);
});

testOnBoth("an agent has as many open tasks as it may, and a new place for each that ends", async (service) => {
  const agent = await newAgent(service, { max_open_tasks: 30 });
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(agent)));
  assert.deepEqual(countOf(answers), { created: 30, refusals: ["429 AGENT_LIMIT"] });
  const first = answers.find(({ status }) => status === 201)!.body["id"] as string;
  await agent.call("POST", `/api/tasks/${first}/cancel`);
  assert.deepEqual([(await create(agent)).status, (await create(agent)).status], [201, 429]);
});

testOnBoth("a key that is known is never limited, and uses no place", async (service) => {
  const agent = await newAgent(service, { max_tasks_per_minute: 3 });
  const body = newTaskBody();
  const send = () => agent.call("POST", "/api/tasks", { body });
  const first = await send();
  for (let i = 0; i < 10; i++) assert.equal((await send()).headers["idempotent-replayed"], "true");
  assert.deepEqual(
    [(await create(agent)).status, (await create(agent)).status, (await create(agent)).status],
    [201, 201, 429],
  );
  const again = await send();
  assert.deepEqual([again.status, again.body["id"]], [201, first.body["id"]]);
});

testOnBoth("a key that is known is found although all open tasks are used", async (service) => {
  const agent = await newAgent(service, { max_open_tasks: 1 });
  const body = newTaskBody();
  const send = () => agent.call("POST", "/api/tasks", { body });
  const first = await send();
  const again = await send();
  assert.deepEqual(
    [again.status, again.body["id"], again.headers["idempotent-replayed"]],
    [201, first.body["id"], "true"],
    again.text,
  );
  const limited = async () => (await service.call<AgentRecord>("GET", `/api/agents/${agent.id}`)).body.limited_at;
  assert.equal(await limited(), null, "nothing was refused");
  assert.equal((await create(agent)).status, 429);
  assert.notEqual(await limited(), null);
});

testOnBoth("a raised limit of open tasks counts at once", async (service) => {
  const agent = await newAgent(service, { max_open_tasks: 2 });
  const statuses = async () => [
    (await create(agent)).status,
    (await create(agent)).status,
    (await create(agent)).status,
  ];
  assert.deepEqual(await statuses(), [201, 201, 429]);
  await service.call("PATCH", `/api/agents/${agent.id}`, { body: { max_open_tasks: 4 } });
  assert.deepEqual(await statuses(), [201, 201, 429]);
});

testOnBoth("a request that is refused uses no place, and a raised limit counts at once", async (service) => {
  const agent = await newAgent(service, { max_tasks_per_minute: 2, max_open_tasks: 2 });
  for (let i = 0; i < 5; i++) assert.equal((await create(agent, { payload: { amount: "no number" } })).status, 422);
  assert.deepEqual(
    [(await create(agent)).status, (await create(agent)).status, (await create(agent)).status],
    [201, 201, 429],
  );
  const path = `/api/agents/${agent.id}`;
  await service.call("PATCH", path, { body: { max_tasks_per_minute: 4, max_open_tasks: 4 } });
  assert.deepEqual(
    [(await create(agent)).status, (await create(agent)).status, (await create(agent)).status],
    [201, 201, 429],
  );
});

testOnBoth("keys that are known, sent many at once, leave the minute to new tasks", async (service) => {
  const agent = await newAgent(service, { max_tasks_per_minute: 12 });
  const bodies = Array.from({ length: 10 }, () => newTaskBody());
  const send = () => Promise.all(bodies.map((body) => agent.call("POST", "/api/tasks", { body })));
  await send();
  for (let i = 0; i < 5; i++) assert.deepEqual(countOf(await send()), { created: 10, refusals: [] });
  const { body } = await service.call<AgentRecord>("GET", `/api/agents/${agent.id}`);
  assert.equal(body.limited_at, null, "nothing was refused");
  assert.deepEqual(
    [(await create(agent)).status, (await create(agent)).status, (await create(agent)).status],
    [201, 201, 429],
  );
});

testOnBoth("near its limit, an agent gets exactly the places that are left", async (service) => {
  const agent = await newAgent(service, { max_open_tasks: 100, max_tasks_per_minute: 10_000 });
  for (const wave of [40, 40, 40]) await Promise.all(Array.from({ length: wave }, () => create(agent)));
  const { body } = await service.call<AgentRecord>("GET", `/api/agents/${agent.id}`);
  assert.equal(body.open_tasks, 100);
});

testOnBoth("a place that is given back while the database is asked for more is not lost", async (service) => {
  const { db, agents } = service.ctx;
  const { token } = await newAgent(service, { max_tasks_per_minute: 2 });
  const caller = (await agents.find(token)) as AgentCaller;
  const minute = unknownMinute();
  const giveBack = await takeOfMinute(db, caller, minute);
  await takeOfMinute(db, caller, minute);
  const third = takeOfMinute(db, caller, minute);
  giveBack();
  await third;
  await assert.rejects(takeOfMinute(db, caller, minute), { code: "AGENT_LIMIT" });
});
