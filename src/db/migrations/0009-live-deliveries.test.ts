import assert from "node:assert/strict";
import { sql } from "kysely";
import { said, testWithSlack } from "../../../test/support/slack-service.ts";
import { migrate } from "../migrate.ts";

testWithSlack("messages of the release before are still changed with their task", async ({ service, slack, send }) => {
  const { ctx, dialect, call } = service;
  const { id } = await service.create({ notify: ["slack:#approvals"] });
  await send();
  // As the release before left it.
  await ctx.db.write(async (tx) => {
    await sql.raw("drop table security_events").execute(tx.query);
    await sql.raw("alter table deliveries drop column is_live").execute(tx.query);
    await sql.raw("delete from kysely_migration where name >= '0009'").execute(tx.query);
  });
  await ctx.db.write(async (tx) => migrate(tx.query, dialect));

  await call("POST", `/api/tasks/${id}/cancel`);
  await send();
  assert.match(said(slack.posts[0]!), /cancelled/i);
  const rows = await ctx.db.query.selectFrom("deliveries").select(["kind", "is_live"]).execute();
  assert.deepEqual(
    rows.map(({ kind, is_live }) => [kind, is_live]),
    [["slack", 1]],
  );
});
