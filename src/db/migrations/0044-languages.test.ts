import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { person } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { Me } from "../../people/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "people of the release before read what their browser asks for, and can choose",
  async (service) => {
    const { ctx, dialect } = service;
    const { call } = await person(service);
    await ctx.db.write((tx) => undoFrom(tx, "0044"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    const before = (await call<Me>("GET", "/api/auth/me")).body;
    assert.equal(before.language, null);
    const after = await call<Me>("PATCH", "/api/auth/me", { body: { language: "de" } });
    assert.deepEqual(after.body, { ...before, language: "de" });
    assert.deepEqual((await call<Me>("GET", "/api/auth/me")).body, after.body);
  },
  { changesTables: true },
);
