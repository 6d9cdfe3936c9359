import assert from "node:assert/strict";
import { newAgent } from "../../../test/support/agents.ts";
import { decisionIn, PRE_TOOL_USE, sendHook } from "../../../test/support/hooks.ts";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "agents of the release before ask through hooks, and their tasks stay",
  async (service) => {
    const { ctx, dialect, call, create } = service;
    const agent = await newAgent(service);
    const old = await create();
    await ctx.db.write((tx) => undoFrom(tx, "0028"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    assert.deepEqual((await call<TaskRecord>("GET", `/api/tasks/${old.id}`)).body, { ...old, facts: null });
    assert.equal(decisionIn((await sendHook(agent, PRE_TOOL_USE)).body), "deny");
    const [asked] = (await agent.call<TaskRecord[]>("GET", "/api/tasks")).body;
    await call("POST", `/api/tasks/${asked!.id}/complete`, { body: { response: { decision: "approve" } } });
    assert.equal(decisionIn((await sendHook(agent, PRE_TOOL_USE)).body), "allow");
  },
  { changesTables: true, env: { SERVICE_HOOK_HOLD_SECONDS: "0" } },
);
