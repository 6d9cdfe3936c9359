import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { CommentRecord } from "../../conversation/schema.ts";
import type { TaskRecord, VersionRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "tasks and comments of the release before are first versions, and can be revised",
  async ({ ctx, dialect, call, create }) => {
    const old = await create();
    const path = `/api/tasks/${old.id}`;
    await call("POST", `${path}/comments`, { body: { text: "Without shipping?" } });
    await ctx.db.write((tx) => undoFrom(tx, "0034"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    assert.deepEqual((await call<TaskRecord>("GET", path)).body, { ...old, facts: null });
    assert.equal(old.version, 1);
    assert.equal((await call<CommentRecord[]>("GET", `${path}/comments`)).body[0]!.version, null);
    const revised = await call<TaskRecord>("POST", `${path}/revise`, { body: { payload: { amount: 1 } } });
    assert.equal(revised.body.version, 2, revised.text);
    const { body } = await call<VersionRecord[]>("GET", `${path}/versions`);
    assert.deepEqual(
      body.map(({ version, payload }) => [version, payload]),
      [
        [1, old.payload],
        [2, { amount: 1 }],
      ],
    );
  },
  { changesTables: true },
);
