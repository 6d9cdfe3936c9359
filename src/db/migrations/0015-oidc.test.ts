import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { person } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "the people of the release before have no company account, and stay signed in",
  async (service) => {
    const { ctx, dialect } = service;
    const { call, user } = await person(service, { is_operator: true });
    await ctx.db.write((tx) => undoFrom(tx, "0015"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));
    const { status, body } = await call<{ oidc_accounts: object[] }>("GET", `/api/users/${user.id}`);
    assert.deepEqual([status, body.oidc_accounts], [200, []]);
  },
  { changesTables: true },
);
