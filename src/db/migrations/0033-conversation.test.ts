import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "people talk about tasks of the release before, and answer them",
  async ({ ctx, dialect, call, create }) => {
    const [old, ended] = [await create(), await create()];
    await call("POST", `/api/tasks/${ended.id}/cancel`);
    await ctx.db.write((tx) => undoFrom(tx, "0033"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    const path = `/api/tasks/${old.id}`;
    assert.deepEqual((await call<TaskRecord>("GET", path)).body, { ...old, facts: null });
    assert.equal(old.waiting_on, "people");
    assert.equal((await call<TaskRecord>("GET", `/api/tasks/${ended.id}`)).body.waiting_on, null);
    assert.equal(
      (await call("POST", `${path}/comments`, { body: { text: "The card that ends with 4242." } })).status,
      201,
    );
    const answered = await call<TaskRecord>("POST", `${path}/complete`, { body: { response: { approved: true } } });
    assert.equal(answered.body.status, "completed");
  },
  { changesTables: true },
);
