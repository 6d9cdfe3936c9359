import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { acceptInvitation, newInvitation } from "../../../test/support/invitations.ts";
import { person } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "people of the release before stay signed in, and can be invited",
  async (service) => {
    const { ctx, dialect } = service;
    const { call, user } = await person(service);
    await ctx.db.write((tx) => undoFrom(tx, "0043"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    assert.equal((await call("GET", "/api/tasks")).status, 200);
    const { token } = await newInvitation(service, user.id);
    assert.equal((await acceptInvitation(service, token, "another good password")).status, 200);
  },
  { changesTables: true },
);
