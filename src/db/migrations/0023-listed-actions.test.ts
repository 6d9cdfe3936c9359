import assert from "node:assert/strict";
import { actionTask } from "../../../test/support/actions.ts";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { ListedTask, TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "lists tell of the actions of the release before what they tell of new ones",
  async (service) => {
    const { ctx, dialect, call, create } = service;
    const plain = await create();
    const one = await call<TaskRecord>("POST", "/api/tasks", { body: actionTask({ action: { risk: "high" } }) });
    const several = await call<TaskRecord>("POST", "/api/tasks", {
      body: actionTask({ actions: [{}, { name: "close" }] }),
    });
    const list = async () => (await call<ListedTask[]>("GET", "/api/tasks?view=full")).body;
    const before = await list();
    await ctx.db.write((tx) => undoFrom(tx, "0023"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    // Facts are made at the creation.
    assert.deepEqual(
      await list(),
      before.map((task) => ({ ...task, facts: null })),
    );
    const [refund, close] = ["refund", "close"].map((name) => ({ name, risk: "normal" }));
    const told = new Map(before.map(({ id, action, actions }) => [id, action ?? actions]));
    assert.deepEqual(
      [plain, one.body, several.body].map(({ id }) => told.get(id)),
      [null, { name: "refund", risk: "high" }, [refund, close]],
    );
  },
  { changesTables: true },
);
