import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { ListedTask, TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "tasks that the release before completed have no decision, and new ones do",
  async ({ ctx, dialect, call, create }) => {
    const answer = { body: { response: { approved: true } } };
    const [old, open] = [await create(), await create()];
    await call("POST", `/api/tasks/${old.id}/complete`, answer);
    await ctx.db.write((tx) => undoFrom(tx, "0038"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    await call("POST", `/api/tasks/${open.id}/complete`, answer);
    assert.equal((await call<TaskRecord>("GET", `/api/tasks/${old.id}`)).body.decision, null);
    const { body } = await call<ListedTask[]>("GET", "/api/tasks?sort=ended");
    assert.deepEqual(
      body.map(({ id, status, decision }) => [id, status, decision?.label]),
      [
        [open.id, "completed", "Yes"],
        [old.id, "completed", undefined],
      ].toSorted(([a], [b]) => (a! < b! ? 1 : -1)),
    );
  },
  { changesTables: true },
);
