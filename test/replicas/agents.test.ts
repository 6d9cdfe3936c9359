import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AgentRecord, NewAgentTokenRecord } from "../../src/agents/schema.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { postgres } from "../support/postgres.ts";
import { startProcess, untilWaiting, type ServiceProcess } from "../support/processes.ts";
import { newTaskBody } from "../support/service.ts";

const MINUTE = 60_000;
/** A poll that is not ended by the stop of its agent takes longer. */
const SOON_MS = 40_000;

void describe("agents of two processes on one PostgreSQL", () => {
  let both: [ServiceProcess, ServiceProcess];
  let drop: () => Promise<void>;

  before(async () => {
    const database = await (await postgres()).createDatabase();
    drop = database.drop;
    both = await Promise.all([
      startProcess({ SERVICE_DATABASE_URL: database.url }),
      startProcess({ SERVICE_DATABASE_URL: database.url }),
    ]);
  });
  after(async () => {
    await Promise.all(both.map((one) => one.kill()));
    await drop();
  });

  let agents = 0;
  async function newAgent(fields: object = {}): Promise<AgentRecord & { token: string; token_id: string }> {
    const [a] = both;
    const { body } = await a.call<AgentRecord>("POST", "/api/agents", { name: `agent-${++agents}`, ...fields });
    const made = await a.call<NewAgentTokenRecord>("POST", `/api/agents/${body.id}/tokens`, {});
    return { ...body, token: made.body.token, token_id: made.body.id };
  }

  /** Sends a request with a token. */
  const ask = <T = Record<string, unknown>>(service: ServiceProcess, token: string, path: string, body?: object) =>
    service.call<T>(body === undefined ? "GET" : "POST", path, body, { authorization: `Bearer ${token}` });

  const create = (service: ServiceProcess, token: string) => ask(service, token, "/api/tasks", newTaskBody());

  /** Lets each agent send so many creations, half of them to each process. @returns how many each got */
  async function createdBy(some: readonly { token: string }[], count: number): Promise<number[]> {
    return Promise.all(
      some.map(async ({ token }) => {
        const answers = await Promise.all(Array.from({ length: count }, (_, i) => create(both[i % 2]!, token)));
        return answers.filter(({ status, body }) => {
          assert.ok(status === 201 || body["error_code"] === "AGENT_LIMIT", JSON.stringify(body));
          return status === 201;
        }).length;
      }),
    );
  }

  test("20 agents at once are each limited to their open tasks", async () => {
    const some = await Promise.all(Array.from({ length: 20 }, () => newAgent({ max_open_tasks: 50 })));
    for (const created of await createdBy(some, 60)) assert.equal(created, 50);
  });

  test("20 agents at once are each limited to their tasks in a minute", async () => {
    const some = await Promise.all(Array.from({ length: 20 }, () => newAgent({ max_tasks_per_minute: 50 })));
    const begun = Date.now();
    const counts = await createdBy(some, 60);
    // On a busy machine, this may take longer than a minute.
    const minutes = Math.floor((Date.now() - begun) / MINUTE) + 1;
    for (const created of counts) assert.ok(created >= 49 && created <= 50 * minutes, String(created));
  });

  test("a token is refused in both processes as soon as it is revoked", async () => {
    const { id, token, token_id } = await newAgent();
    for (const service of both) assert.equal((await ask(service, token, "/api/tasks")).status, 200);
    await both[0].call("DELETE", `/api/agents/${id}/tokens/${token_id}`);
    for (const service of both)
      assert.equal((await ask(service, token, "/api/tasks")).body["error_code"], "AGENT_TOKEN_REVOKED");
  });

  for (const [stopped, code] of [
    ["stopped", "AGENT_DISABLED"],
    ["deleted", "AGENT_TOKEN_REVOKED"],
  ] as const)
    test(`polls in both processes end as soon as their agent is ${stopped}`, { timeout: SOON_MS }, async () => {
      const { id, token } = await newAgent();
      const { body: task } = await ask<TaskRecord>(both[0], token, "/api/tasks", newTaskBody());
      const polls = both.map((service) => ask(service, token, `/api/tasks/${task.id}/poll?timeout=60`));
      for (const service of both) await untilWaiting(service, 1);
      const path = `/api/agents/${id}`;
      if (stopped === "deleted") await both[0].call("DELETE", path);
      else await both[0].call("PATCH", path, { disabled: true, cancel_open_tasks: true });
      for (const { status, body } of await Promise.all(polls))
        assert.deepEqual([status, body["error_code"]], [401, code]);
      const { body } = await both[1].call<TaskRecord>("GET", `/api/tasks/${task.id}`);
      assert.equal(body.status, stopped === "deleted" ? "created" : "cancelled");
    });
});
