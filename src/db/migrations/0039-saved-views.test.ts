import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { person } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "people of the release before stay signed in, see their tasks, and can save views",
  async (service) => {
    const { ctx, dialect, create } = service;
    const { user, call } = await person(service);
    const old = await create({ assign_to: { email: user.email! } });
    await ctx.db.write((tx) => undoFrom(tx, "0039"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    assert.equal((await call<TaskRecord>("GET", `/api/tasks/${old.id}`)).status, 200);
    const { status } = await call("POST", "/api/views", { body: { name: "Mine", filter: { scope: "mine" } } });
    assert.equal(status, 201);
    assert.equal((await call<{ count: number }[]>("GET", "/api/views")).body[0]?.count, 1);
  },
  { changesTables: true },
);
