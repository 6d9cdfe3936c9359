import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { person } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "people who signed in with the release before stay signed in",
  async (service) => {
    const { ctx, dialect, clock } = service;
    const { call, user } = await person(service, { is_operator: true });
    await ctx.db.write((tx) => undoFrom(tx, "0011"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    const { body } = await call<Record<string, unknown>[]>("GET", "/api/auth/sessions");
    assert.deepEqual(
      body.map(({ address, user_agent, current }) => ({ address, user_agent, current })),
      [{ address: null, user_agent: null, current: true }],
    );
    // Their sign-in is when they last gave their password.
    assert.equal((await call("PATCH", `/api/users/${user.id}`, { body: { role: "approver" } })).status, 200);
    clock.advance(600_000);
    assert.equal((await call("PATCH", `/api/users/${user.id}`, { body: { role: "approver" } })).status, 403);
  },
  { changesTables: true },
);
