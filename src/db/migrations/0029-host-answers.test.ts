import assert from "node:assert/strict";
import { newAgent } from "../../../test/support/agents.ts";
import { undoFrom } from "../../../test/support/older-release.ts";
import { newTaskBody, testOnBoth } from "../../../test/support/service.ts";
import type { AgentRecord } from "../../agents/schema.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "the hosts of agents of the release before may not answer, until an operator allows it",
  async (service) => {
    const { ctx, dialect, call } = service;
    const agent = await newAgent(service);
    const ask = async () => (await agent.call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody() })).body;
    const old = await ask();
    await ctx.db.write((tx) => undoFrom(tx, "0029"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    const path = `/api/agents/${agent.id}`;
    assert.equal((await call<AgentRecord>("GET", path)).body.host_answers, false);
    const answer = async () =>
      agent.call("POST", `/api/tasks/${old.id}/complete`, { body: { response: { approved: true } } });
    assert.equal((await answer()).body["error_code"], "AGENT_SCOPE_MISSING");
    await call("PATCH", path, { body: { host_answers: true } });
    assert.equal((await answer()).body["status"], "completed");
  },
  { changesTables: true },
);
