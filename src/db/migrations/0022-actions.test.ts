import assert from "node:assert/strict";
import { actionTask } from "../../../test/support/actions.ts";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { ListedTask, TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "tasks of the release before have no action, and new ones may have one",
  async (service) => {
    const { ctx, dialect, call, create } = service;
    const old = await create();
    await ctx.db.write((tx) => undoFrom(tx, "0022"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    assert.deepEqual((await call<TaskRecord>("GET", `/api/tasks/${old.id}`)).body, { ...old, facts: null });
    const { body } = await call<TaskRecord>("POST", "/api/tasks", { body: actionTask() });
    const listed = await call<ListedTask[]>("GET", "/api/tasks?view=summary");
    assert.deepEqual(
      new Map(listed.body.map(({ id, action }) => [id, action])),
      new Map([
        [old.id, null],
        [body.id, { name: "refund", risk: "normal" }],
      ]),
    );
    for (const [id, response] of [
      [old.id, { approved: true }],
      [body.id, { decision: "approve" }],
    ] as const) {
      const done = await call<TaskRecord>("POST", `/api/tasks/${id}/complete`, { body: { response } });
      assert.equal(done.body.status, "completed");
    }
  },
  { changesTables: true },
);
