import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { CommentRecord } from "../../conversation/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "comments of the release before name no files, and new ones can",
  async ({ ctx, dialect, call, create }) => {
    const path = `/api/tasks/${(await create()).id}/comments`;
    await call("POST", path, { body: { text: "Without shipping?" } });
    await ctx.db.write((tx) => undoFrom(tx, "0036"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    const file = {
      url: "https://files.example.com/invoice.pdf",
      sha256: "0".repeat(64),
      bytes: 12,
      media_type: "application/pdf",
      name: "invoice.pdf",
    };
    const added = await call("POST", path, { body: { text: "See the invoice.", files: [file] } });
    assert.equal(added.status, 201, added.text);
    const { body } = await call<CommentRecord[]>("GET", path);
    assert.deepEqual(
      body.map(({ files }) => files),
      [[], [file]],
    );
  },
  { changesTables: true },
);
