import assert from "node:assert/strict";
import { newServiceKey } from "../../../test/support/embed.ts";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "a database of the release before gets a security log",
  async (service) => {
    const { ctx, dialect, call } = service;
    // As the release before left it.
    await ctx.db.write((tx) => undoFrom(tx, "0010"));
    await ctx.db.write(async (tx) => migrate(tx.query, dialect));
    await newServiceKey(service);
    const { body } = await call<{ type: string }[]>("GET", "/api/security-events");
    assert.deepEqual(
      body.map(({ type }) => type),
      ["embed_key_created"],
    );
  },
  { changesTables: true },
);
