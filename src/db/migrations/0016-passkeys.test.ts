import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { addPasskey, callAfter, signInWith } from "../../../test/support/passkeys.ts";
import { PASSWORD, person } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "people who signed in with the release before stay signed in, and can add passkeys",
  async (service) => {
    const { ctx, dialect } = service;
    const { call } = await person(service, { password: PASSWORD });
    const operator = await person(service, { password: PASSWORD, is_operator: true });
    // As the release before left it.
    await ctx.db.write((tx) => undoFrom(tx, "0016"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));
    const { device } = await addPasskey(service, call);
    assert.equal((await signInWith(service, device)).status, 200);
    assert.equal((await operator.call("GET", "/api/users")).status, 200);
    // What was not recorded counts as a password.
    ctx.config.requirePasskey = "operators";
    assert.equal(
      (await operator.call<{ error_code: string }>("GET", "/api/users")).body.error_code,
      "PASSKEY_REQUIRED",
    );
    const added = await addPasskey(service, operator.call);
    assert.equal((await callAfter(service, added)("GET", "/api/users")).status, 200);
  },
  { changesTables: true },
);
