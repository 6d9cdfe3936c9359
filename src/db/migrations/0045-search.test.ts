import assert from "node:assert/strict";
import { sql } from "kysely";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { ListedTask } from "../../tasks/schema.ts";
import { findCandidates } from "../../tasks/search-candidates.ts";
import { fillIndex } from "../../tasks/search-index.ts";
import { migrate } from "../migrate.ts";
import { TRIGRAMS } from "../texts.ts";

testOnBoth(
  "tasks of the release before are found at once, and by the index when it has followed what happened to them",
  async (service) => {
    const { ctx, dialect, clock, call, create } = service;
    const old = await create({ task: "Send the marigolds" });
    await create();
    await ctx.db.write((tx) => undoFrom(tx, "0045"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    const found = async () => (await call<ListedTask[]>("GET", "/api/tasks?q=marigold")).body.map(({ id }) => id);
    assert.deepEqual(await found(), [old.id]);
    clock.advance(61_000);
    assert.equal(await fillIndex(ctx), 2);
    assert.deepEqual(await findCandidates(ctx.db, "marigold", clock.now()), [old.id]);
    assert.deepEqual(await found(), [old.id]);

    if (dialect === "sqlite") return;
    await ctx.db.write(({ query }) => sql`drop index ${sql.ref(TRIGRAMS)}`.execute(query));
    assert.equal(await findCandidates(ctx.db, "marigold", clock.now()), null, "without the extension");
    assert.deepEqual(await found(), [old.id]);
  },
  { changesTables: true },
);
