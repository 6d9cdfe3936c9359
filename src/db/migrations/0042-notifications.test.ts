import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { person } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "people of the release before have chosen nothing, and can",
  async (service) => {
    const { ctx, dialect } = service;
    const { call } = await person(service);
    await ctx.db.write((tx) => undoFrom(tx, "0042"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    const path = "/api/auth/me/notifications";
    const chosen = { quiet_hours: null, muted_projects: [], digest: "off", digest_time: "08:00", can_email: false };
    assert.deepEqual((await call("GET", path)).body, chosen);
    assert.deepEqual((await call("PATCH", path, { body: { digest: "daily" } })).body, { ...chosen, digest: "daily" });
  },
  { changesTables: true },
);
