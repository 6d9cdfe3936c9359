import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { CalendarRecord } from "../../calendars/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "a database of the release before gets calendars, and keeps its tasks",
  async (service) => {
    const { ctx, dialect, call, create } = service;
    const { id } = await create();
    await ctx.db.write((tx) => undoFrom(tx, "0025"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    assert.equal((await call("GET", `/api/tasks/${id}`)).status, 200);
    assert.deepEqual((await call<CalendarRecord[]>("GET", "/api/calendars")).body, []);
    const body = { time_zone: "UTC", hours: { mon: [["09:00", "17:00"]] } };
    assert.equal((await call("PUT", "/api/calendars/support", { body })).status, 201);
  },
  { changesTables: true },
);
