import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { ListedTask, TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "tasks of the release before have a normal priority and no labels, and new ones are found by theirs",
  async ({ ctx, dialect, call, create }) => {
    const old = await create();
    await ctx.db.write((tx) => undoFrom(tx, "0037"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    const { body } = await call<TaskRecord>("GET", `/api/tasks/${old.id}`);
    assert.deepEqual([body.priority, body.urgent, body.labels, body.facts], ["normal", false, [], null]);
    const young = await create({ labels: ["VIP"], priority: "high" });
    const found = async (query: string) =>
      (await call<ListedTask[]>("GET", `/api/tasks?${query}`)).body.map(({ id }) => id);
    assert.deepEqual(await found("label=vip"), [young.id]);
    assert.deepEqual(await found("priority=high"), [young.id]);
    assert.deepEqual(await found("priority=normal"), [old.id]);
  },
  { changesTables: true },
);
