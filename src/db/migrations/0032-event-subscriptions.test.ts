import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { startReceiver } from "../../../test/support/receiver.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "a subscriber learns what becomes of tasks of the release before",
  async (service, t) => {
    const { ctx, dialect, call, create, clock } = service;
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const { id } = await create();
    await ctx.db.write((tx) => undoFrom(tx, "0032"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    const body = { url: receiver.url, events: ["task.created", "task.cancelled"] };
    assert.equal((await call("POST", "/api/event-subscriptions", { body })).status, 201);
    await call("POST", `/api/tasks/${id}/cancel`);
    clock.advance(6_000);
    await ctx.deliveries.turn();
    await ctx.deliveries.settle();
    const types = receiver.received.map((one) => (JSON.parse(one.body) as { type: string }).type);
    assert.deepEqual(types, ["task.cancelled"]);
  },
  { changesTables: true },
);
