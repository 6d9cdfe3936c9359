import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { StatsGroups } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "tasks of the release before count as closed, and new ones also by their question",
  async ({ ctx, dialect, call, create }) => {
    const answer = { body: { response: { approved: true } } };
    const old = await create({ task: "Old" });
    await call("POST", `/api/tasks/${old.id}/complete`, answer);
    await ctx.db.write((tx) => undoFrom(tx, "0041"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    const young = await create({ task: "Young" });
    await call("POST", `/api/tasks/${young.id}/complete`, answer);
    const { body } = await call<StatsGroups>("GET", "/api/stats/groups");
    assert.equal(body.all.closed, 2);
    assert.deepEqual(
      body.by_question.map(({ title, closed }) => [title, closed]),
      [["Young", 1]],
    );
  },
  { changesTables: true },
);
