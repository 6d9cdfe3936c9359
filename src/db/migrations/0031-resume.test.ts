import assert from "node:assert/strict";
import { startReceiver } from "../../../test/support/receiver.ts";
import { undoFrom } from "../../../test/support/older-release.ts";
import { newTaskBody, testOnBoth } from "../../../test/support/service.ts";
import type { WebhookDelivery } from "../../deliveries/schema.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "callbacks of the release before are delivered, its open tasks resume nothing, and new ones do",
  async (service, t) => {
    const { ctx, dialect, call, create, clock } = service;
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const old = await create({ callback_url: receiver.url });
    const ended = await create({ callback_url: receiver.url });
    await call("POST", `/api/tasks/${ended.id}/cancel`);
    await ctx.db.write((tx) => undoFrom(tx, "0031"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    assert.deepEqual((await call<TaskRecord>("GET", `/api/tasks/${old.id}`)).body, { ...old, facts: null });
    assert.deepEqual(old.resume, []);
    const body = { ...newTaskBody(), resume: [{ url: `${receiver.url}/resume` }] };
    const { body: resumed } = await call<TaskRecord>("POST", "/api/tasks", { body });
    for (const { id } of [old, resumed])
      await call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
    for (let i = 0; i < 3; i++) {
      clock.advance(6_000);
      await ctx.deliveries.turn();
      await ctx.deliveries.settle();
    }
    const { body: rows } = await call<WebhookDelivery[]>("GET", "/api/admin/webhook-deliveries");
    assert.deepEqual(
      new Set(rows.map(({ task_id, kind, status, meaning }) => `${task_id} ${kind} ${status} ${meaning}`)),
      new Set([
        `${old.id} callback SUCCEEDED null`,
        `${ended.id} callback SUCCEEDED null`,
        `${resumed.id} resume SUCCEEDED done`,
      ]),
    );
    assert.equal(rows.length, 3);
  },
  { changesTables: true },
);
