import assert from "node:assert/strict";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { deleteKnownOf, deleteOldest, listKnown, storeAnswered } from "./known-origins.ts";

const ALL = ["a", "b", "c"];

async function known({ ctx: { db } }: TestService): Promise<[string, number][]> {
  const rows = await listKnown(db, ALL);
  return ALL.flatMap((name) =>
    rows.filter(({ origin }) => origin === name).map((row): [string, number] => [row.origin, row.answered_at]),
  );
}

testOnBoth("origins that answered are stored with the latest time, until they no longer answer", async (service) => {
  const { ctx, clock } = service;
  const first = ctx.db.now();
  await storeAnswered(ctx.db, ["b", "a"]);
  clock.advance(1_000);
  const second = ctx.db.now();
  await storeAnswered(ctx.db, ["c", "b"]);
  assert.deepEqual(await known(service), [
    ["a", first],
    ["b", second],
    ["c", second],
  ]);
  await deleteKnownOf(ctx.db, ["b", "unknown"]);
  assert.deepEqual(await known(service), [
    ["a", first],
    ["c", second],
  ]);
});

testOnBoth("only so many origins are kept, those that answered last", async (service) => {
  const { ctx, clock } = service;
  for (const origin of ["b", "c", "a"]) {
    await storeAnswered(ctx.db, [origin]);
    clock.advance(1_000);
  }
  await deleteOldest(ctx.db, 2);
  assert.deepEqual(
    (await known(service)).map(([origin]) => origin),
    ["a", "c"],
  );
  await deleteOldest(ctx.db);
  assert.equal((await known(service)).length, 2);
});
