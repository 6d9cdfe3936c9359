import assert from "node:assert/strict";
import { addUser } from "../../../test/support/people.ts";
import { liveButtons, testWithSlack } from "../../../test/support/slack-service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";

const SIMPLE = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };

testWithSlack(
  "over Socket Mode a task is answered as over HTTP, also after Slack has ended the connection",
  async ({ service, slack, send }) => {
    await addUser(service, { email: "dana@example.com" });
    const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
    for (let times = 0; times < 2; times++) {
      const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
      await send();
      const post = slack.posts.at(-1)!;
      await slack.until(() => slack.connections() > 0);
      const { failure } = await slack.click({ user: dana, post, action_id: "answer:choose:0", confirm: true });
      assert.equal(failure, null);
      const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
      assert.equal(body.status, "completed");
      assert.equal(body.completed_via_channel, "slack");
      await send();
      assert.deepEqual(liveButtons(post), []);
      slack.disconnect("refresh_requested");
    }
    assert.deepEqual(slack.failures, []);
    // Without a signing secret, nobody is believed over HTTP.
    const posted = await service.call("POST", "/api/channels/slack/interactions", {
      token: null,
      raw: "payload=%7B%7D",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    assert.equal(posted.status, 503);
    assert.equal(posted.body["error_code"], "SLACK_NOT_CONFIGURED");
  },
  { isSocketMode: true },
);
