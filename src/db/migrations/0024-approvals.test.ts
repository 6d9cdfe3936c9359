import assert from "node:assert/strict";
import { actionTask } from "../../../test/support/actions.ts";
import { undoFrom } from "../../../test/support/older-release.ts";
import { person } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "one person decides the tasks of the release before, and several may have to decide new ones",
  async (service) => {
    const { ctx, dialect, call } = service;
    const [ada, ben] = [await person(service, { pool: "desk" }), await person(service, { pool: "desk" })];
    const assign_to = { pool: "desk" };
    const { body: old } = await call<TaskRecord>("POST", "/api/tasks", { body: actionTask({ assign_to }) });
    await ctx.db.write((tx) => undoFrom(tx, "0024"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    assert.deepEqual((await call<TaskRecord>("GET", `/api/tasks/${old.id}`)).body, { ...old, facts: null });
    const approved = { ...actionTask(), idempotency_key: "new", approvals: { need: 2, from: { pool: "desk" } } };
    const { body: young } = await call<TaskRecord>("POST", "/api/tasks", { body: approved });
    const approve = async ({ call: as }: typeof ada, id: string) =>
      (await as<TaskRecord>("POST", `/api/tasks/${id}/complete`, { body: { response: { decision: "approve" } } })).body;
    assert.equal((await approve(ada, old.id)).status, "completed");
    assert.equal((await approve(ada, young.id)).status, "created");
    assert.equal((await approve(ben, young.id)).status, "completed");
  },
  { changesTables: true },
);
