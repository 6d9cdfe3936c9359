import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { startReceiver } from "../../../test/support/receiver.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import { HOLD_MS } from "../../deliveries/after-response.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "callbacks that the release before left due are sent, and their receiver is remembered",
  async (service, t) => {
    const { ctx, dialect, clock, call } = service;
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const { id } = await service.create({ callback_url: receiver.url });
    assert.equal((await call("POST", `/api/tasks/${id}/cancel`)).status, 200);
    // As the release before left it.
    await ctx.db.write((tx) => undoFrom(tx, "0012"));
    await ctx.db.write(async (tx) => migrate(tx.query, dialect));

    // After the time for which a callback waits for the response of its request.
    clock.advance(HOLD_MS);
    await ctx.deliveries.turn();
    await ctx.deliveries.settle();
    assert.deepEqual(
      receiver.received.map(({ task_id }) => task_id),
      [id],
    );
    const known = await ctx.db.query.selectFrom("delivery_origins").select("origin").execute();
    assert.deepEqual(
      known.map(({ origin }) => origin),
      [new URL(receiver.url).origin],
    );
  },
  { changesTables: true },
);
