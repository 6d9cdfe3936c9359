import assert from "node:assert/strict";
import { testOnBoth } from "../../test/support/service.ts";

const KINDS: readonly { path: string; body: object; max: number; table: "calendars" | "escalation_templates" }[] = [
  {
    path: "/api/calendars",
    body: { time_zone: "UTC", hours: { mon: [["09:00", "17:00"]] } },
    max: 500,
    table: "calendars",
  },
  {
    path: "/api/escalations",
    body: { steps: [{ after: 60, do: "raise" }] },
    max: 100,
    table: "escalation_templates",
  },
];

for (const { path, body, max, table } of KINDS) {
  testOnBoth(`${path}: of several that set one name at the same time, one creates it`, async ({ call }) => {
    const statuses = async (method: "PUT" | "DELETE") =>
      (
        await Promise.all(
          Array.from({ length: 12 }, () => call(method, `${path}/usual`, method === "PUT" ? { body } : {})),
        )
      )
        .map(({ status }) => status)
        .toSorted((a, b) => a - b);
    for (let round = 0; round < 3; round += 1) {
      assert.deepEqual(await statuses("PUT"), [...Array.from({ length: 11 }, () => 200), 201]);
      assert.deepEqual(await statuses("DELETE"), [204, ...Array.from({ length: 11 }, () => 404)]);
    }
  });

  testOnBoth(`${path}: of several that take the last place at the same time, one gets it`, async ({ call, ctx }) => {
    await call("PUT", `${path}/first`, { body });
    await ctx.db.write(async (tx) => {
      const row = await tx.query.selectFrom(table).selectAll().executeTakeFirstOrThrow();
      const rows = Array.from({ length: max - 2 }, (_, at) => ({ ...row, name: `other-${at}` }));
      await tx.query.insertInto(table).values(rows).execute();
    });
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, at) => call<{ details?: object[] }>("PUT", `${path}/last-${at}`, { body })),
    );
    const [added, ...refused] = answers.toSorted((a, b) => a.status - b.status);
    assert.equal(added!.status, 201);
    const where = table === "calendars" ? "There are 500 calendars" : "The project has 100 templates";
    for (const answer of refused) {
      assert.equal(answer.status, 422);
      assert.deepEqual(answer.body.details, [{ path: "/params/name", message: `${where}, which is the maximum.` }]);
    }
  });
}
