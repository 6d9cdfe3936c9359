import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { testWithSlack } from "../../../test/support/slack-service.ts";
import { addUser } from "../../../test/support/people.ts";
import { BOT_SCOPES } from "../../channels/slack/workspaces/manifest.ts";
import { findTaskOf } from "../../channels/slack/threads/find.ts";
import { migrate } from "../migrate.ts";

testWithSlack(
  "people write in the threads of messages of the release before",
  async ({ service, slack, send }) => {
    await addUser(service, { email: "dana@example.com", display_name: "Dana" });
    const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
    const { id } = await service.create({ notify: ["slack:#approvals"] });
    await send();
    const { db } = service.ctx;
    await db.write((tx) => undoFrom(tx, "0035"));
    await db.write((tx) => migrate(tx.query, db.dialect));
    const [post] = slack.posts;
    await slack.say({ user: dana, thread: post!, text: "Which card?" });
    const { body } = await service.call<{ text: string }[]>("GET", `/api/tasks/${id}/comments`);
    assert.deepEqual(
      body.map(({ text }) => text),
      ["Which card?"],
    );
    const { channel, ts } = post!;
    assert.equal(await findTaskOf(db, { team: slack.team.id, channel, ts }), id);
    assert.equal(await findTaskOf(db, { team: "T0OTHER", channel, ts }), null);
  },
  { scopes: BOT_SCOPES, changesTables: true },
);
