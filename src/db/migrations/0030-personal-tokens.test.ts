import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { callAs, person } from "../../../test/support/people.ts";
import { bearer, newPersonalToken, reviewStatus } from "../../../test/support/personal-tokens.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "people of the release before stay signed in, keep their tasks, and can create personal tokens",
  async (service) => {
    const { ctx, dialect, call, create } = service;
    const { headers, user } = await person(service);
    const old = await create({ assign_to: { email: user.email! } });
    await ctx.db.write((tx) => undoFrom(tx, "0030"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    assert.deepEqual((await call<TaskRecord>("GET", `/api/tasks/${old.id}`)).body, { ...old, facts: null });
    const { token } = await newPersonalToken({ call: callAs(service, headers) });
    assert.equal(await reviewStatus(service, bearer(token)), "200");
  },
  { changesTables: true },
);
