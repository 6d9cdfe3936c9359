import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import { SECOND } from "../../lib/time.ts";
import { takeDueSteps } from "../../tasks/escalating.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "tasks of the release before have no steps, and new ones take theirs",
  async (service) => {
    const { ctx, dialect, call, clock, create } = service;
    const old = await create({ idempotency_key: "old" });
    await ctx.db.write((tx) => undoFrom(tx, "0027"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    assert.deepEqual((await call<TaskRecord>("GET", `/api/tasks/${old.id}`)).body, { ...old, facts: null });
    const young = await create({ idempotency_key: "young", escalation: [{ after: 10, do: "raise" }] });
    clock.advance(10 * SECOND);
    assert.equal(await takeDueSteps(ctx), 1);
    for (const [{ id }, urgent] of [
      [old, false],
      [young, true],
    ] as const)
      assert.equal((await call<TaskRecord>("GET", `/api/tasks/${id}`)).body.urgent, urgent);
  },
  { changesTables: true },
);
