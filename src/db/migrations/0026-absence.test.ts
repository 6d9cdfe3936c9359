import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { addUser } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { UserRecord } from "../../people/schema.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "people of the release before are not away, and their tasks are for no one else",
  async (service) => {
    const { ctx, dialect, call, create } = service;
    const [ada, ben] = [await addUser(service), await addUser(service)];
    const old = await create({ assign_to: { user_id: ada.id } });
    await ctx.db.write((tx) => undoFrom(tx, "0026"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    assert.deepEqual((await call<TaskRecord>("GET", `/api/tasks/${old.id}`)).body, { ...old, facts: null });
    assert.deepEqual((await call<UserRecord>("GET", `/api/users/${ada.id}`)).body, ada);
    const body = { from: "2026-01-05T09:00:00Z", until: "2999-01-05T09:00:00Z", delegate_user_id: ben.id };
    assert.equal((await call("PUT", `/api/users/${ada.id}/absence`, { body })).status, 200);
    const { assigned_to_user_id, delegated_from } = await create({ assign_to: { user_id: ada.id } });
    assert.deepEqual([assigned_to_user_id, delegated_from], [ben.id, { user_id: ada.id, email: ada.email }]);
  },
  { changesTables: true },
);
