import assert from "node:assert/strict";
import { newAgent } from "../../../test/support/agents.ts";
import { undoFrom } from "../../../test/support/older-release.ts";
import { newTaskBody, testOnBoth } from "../../../test/support/service.ts";
import type { AuditEntryRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "a database of the release before takes agents",
  async (service) => {
    const { ctx, dialect, call, create } = service;
    const { id } = await create();
    // As the release before left it.
    await ctx.db.write((tx) => undoFrom(tx, "0014"));
    await ctx.db.write(async (tx) => migrate(tx.query, dialect));
    const { body: trail } = await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
    assert.deepEqual([trail[0]!.agent_id, trail[0]!.agent_name], [null, null]);
    const agent = await newAgent(service);
    assert.equal((await agent.call("POST", "/api/tasks", { body: newTaskBody() })).status, 201);
  },
  { changesTables: true },
);
