import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { said, testWithSlack } from "../../../test/support/slack-service.ts";
import { migrate } from "../migrate.ts";

testWithSlack(
  "messages of the release before are still changed with their task",
  async ({ service, slack, send }) => {
    const { ctx, dialect, call } = service;
    const { id } = await service.create({ notify: ["slack:#approvals"] });
    await send();
    // The state that the previous release left.
    await ctx.db.write(async (tx) => {
      await undoFrom(tx, "0009");
    });
    await ctx.db.write(async (tx) => migrate(tx.query, dialect));

    await call("POST", `/api/tasks/${id}/cancel`);
    await send();
    assert.match(said(slack.posts[0]!), /cancelled/i);
    const rows = await ctx.db.query.selectFrom("deliveries").select(["kind", "is_live"]).execute();
    assert.deepEqual(
      rows.map(({ kind, is_live }) => [kind, is_live]),
      [["slack", 1]],
    );
  },
  { changesTables: true },
);
