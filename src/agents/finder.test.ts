import assert from "node:assert/strict";
import { test } from "node:test";
import { newAgent } from "../../test/support/agents.ts";
import { newProject } from "../../test/support/projects.ts";
import { ServiceError } from "../errors.ts";
import { startTestService, testOnBoth } from "../../test/support/service.ts";
import { createAgentFinder } from "./finder.ts";

/** A test that takes longer hangs. */
const TEST_MS = 55_000;

void test(
  "once a change of an agent is answered, a process that was not told of it sees it",
  { timeout: TEST_MS },
  async (t) => {
    const { service, stop } = await startTestService("postgres");
    t.after(stop);
    const { db } = service.ctx;
    // Hints of other processes may come late, or never.
    const hints = { ...db.hints, listen: () => () => {} };
    const other = createAgentFinder({ ...db, hints }, (error) => assert.fail(String(error)));
    await newProject(service, "refunds");
    const agent = await newAgent(service, { project: "refunds", scopes: ["ask", "read"] });
    const path = `/api/agents/${agent.id}`;
    const found = async () => other.find(agent.token);
    // It is remembered for a tenth of a second from the beginning of its read, which a busy machine may spend on the read alone.
    const knows = async () => {
      for (;;) {
        const known = other.find(agent.token);
        assert.notEqual(await known, null);
        if (!(known instanceof Promise)) return;
      }
    };
    const change = async (method: "PATCH" | "DELETE", what: string, body?: object) => {
      await knows();
      const { status } = await service.call(method, what, body && { body });
      assert.ok(status < 300, String(status));
    };

    await change("PATCH", path, { scopes: ["ask"] });
    assert.deepEqual((await found())?.scopes, ["ask"]);
    await change("PATCH", "/api/projects/refunds", { archived: true });
    assert.equal((await found())?.is_archived, true);
    await change("PATCH", path, { disabled: true });
    await assert.rejects(found(), { code: "AGENT_DISABLED" });
    await service.call("PATCH", path, { body: { disabled: false } });
    await change("DELETE", `${path}/tokens/${agent.token_id}`);
    await assert.rejects(found(), { code: "AGENT_TOKEN_REVOKED" });
    const deleted = await newAgent(service);
    await other.find(deleted.token);
    await service.call("DELETE", `/api/agents/${deleted.id}`);
    await assert.rejects(async () => other.find(deleted.token), { code: "AGENT_TOKEN_REVOKED" });
    other.stop();
  },
);

void test(
  "once a change of an agent has failed, a process that was not told of it sees whether it was stored",
  { timeout: TEST_MS },
  async (t) => {
    const { service, stop } = await startTestService("postgres");
    t.after(stop);
    const { db } = service.ctx;
    const hints = { ...db.hints, listen: () => () => {} };
    const other = createAgentFinder({ ...db, hints }, (error) => assert.fail(String(error)));
    const agent = await newAgent(service);
    assert.notEqual(await other.find(agent.token), null);
    const { write } = db;
    // The answer of the database was lost, and the change was not.
    db.write = async (run) => {
      await write(run);
      throw new ServiceError("COMMIT_UNKNOWN");
    };
    const { body } = await service.call("PATCH", `/api/agents/${agent.id}`, { body: { disabled: true } });
    assert.equal(body["error_code"], "COMMIT_UNKNOWN");
    await assert.rejects(async () => other.find(agent.token), { code: "AGENT_DISABLED" });
    other.stop();
  },
);

testOnBoth("tokens of several agents that come at once are each found", async (service) => {
  const agents = await Promise.all(Array.from({ length: 5 }, () => newAgent(service)));
  const answers = await Promise.all(agents.map(({ call }) => call("GET", "/api/tasks")));
  assert.deepEqual(
    answers.map(({ status }) => status),
    agents.map(() => 200),
  );
});
