import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { person } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "a database of the release before comes up, with what only its trail knew",
  async (service) => {
    const { ctx, dialect, call } = service;
    const op = await person(service, { is_operator: true });
    const withReason = await service.create();
    const plain = await service.create();
    const answered = await service.create();
    const claimed = await service.create();
    await op.call("POST", `/api/tasks/${withReason.id}/cancel`, { body: { reason: "Duplicate" } });
    await call("POST", `/api/tasks/${plain.id}/cancel`);
    await op.call("POST", `/api/tasks/${claimed.id}/claim`);
    await call("POST", `/api/tasks/${answered.id}/complete`, { body: { response: { approved: true } } });

    // The state that the previous release left: without the columns, and with a claim on a task that has ended.
    await ctx.db.write(async (tx) => {
      await undoFrom(tx, "0008");
      await tx.query
        .updateTable("tasks")
        .set({ claimed_by_email: "dana@example.com", claim_expires_at: 1 })
        .where("id", "=", answered.id)
        .execute();
    });
    await ctx.db.write(async (tx) => migrate(tx.query, dialect));

    const read = async (id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
    const first = await read(withReason.id);
    assert.deepEqual(
      [first.cancelled_by, first.cancel_reason, first.cancelled_at],
      [op.user.email, "Duplicate", first.updated_at],
    );
    const second = await read(plain.id);
    assert.deepEqual([second.cancelled_by, second.cancel_reason], [null, null]);
    const third = await read(answered.id);
    assert.deepEqual([third.claimed_by_email, third.claim_expires_at, third.cancelled_at], [null, null, null]);
    assert.equal((await read(claimed.id)).claimed_by_email, op.user.email, "a running claim stays");
  },
  { changesTables: true },
);
