import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { person } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import { isoTime } from "../../lib/time.ts";
import type { ListedTask } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "tasks of the release before are in the lists, and can be snoozed",
  async (service) => {
    const { ctx, dialect, clock, create } = service;
    const { user, call } = await person(service);
    const { id } = await create({ assign_to: { email: user.email! } });
    await ctx.db.write((tx) => undoFrom(tx, "0040"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    const listed = async () => (await call<ListedTask[]>("GET", "/api/tasks")).body.length;
    assert.equal(await listed(), 1);
    const { status } = await call("PUT", `/api/tasks/${id}/snooze`, { body: { until: isoTime(clock.now() + 60_000) } });
    assert.deepEqual([status, await listed()], [200, 0]);
  },
  { changesTables: true },
);
