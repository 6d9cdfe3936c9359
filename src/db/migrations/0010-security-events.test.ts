import assert from "node:assert/strict";
import { sql } from "kysely";
import { newServiceKey } from "../../../test/support/embed.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import { migrate } from "../migrate.ts";

testOnBoth("a database of the release before gets a security log", async (service) => {
  const { ctx, dialect, call } = service;
  // As the release before left it.
  await ctx.db.write(async (tx) => {
    await sql.raw("drop table security_events").execute(tx.query);
    await sql.raw("delete from kysely_migration where name >= '0010'").execute(tx.query);
  });
  await ctx.db.write(async (tx) => migrate(tx.query, dialect));
  await newServiceKey(service);
  const { body } = await call<{ type: string }[]>("GET", "/api/security-events");
  assert.deepEqual(
    body.map(({ type }) => type),
    ["embed_key_created"],
  );
});
