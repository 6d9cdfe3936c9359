import assert from "node:assert/strict";
import { told } from "../../../test/support/mail.ts";
import { addUser } from "../../../test/support/people.ts";
import type { TestService } from "../../../test/support/service.ts";
import { liveButtons, testWithSlack } from "../../../test/support/slack-service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";

async function assign({ call }: TestService, id: string, user_id: string | null): Promise<void> {
  assert.equal((await call("POST", `/api/tasks/${id}/assign`, { body: { user_id } })).status, 200);
}

/** A user who is known by their Slack account only. */
async function addMember(service: TestService, slack: { team: { id: string } }, user_id: string) {
  return addUser(service, { email: null, display_name: "Dana", slack_team_id: slack.team.id, slack_user_id: user_id });
}

testWithSlack(
  "a new assignee who is known by Slack alone gets a direct message, and answers there",
  async ({ service, slack, send }) => {
    const dana = slack.addUser({ name: "dana" });
    const user = await addMember(service, slack, dana.id);
    const { id } = await service.create();
    await assign(service, id, user.id);
    await send();
    const [post, ...more] = slack.posts;
    assert.ok(post);
    assert.deepEqual(more, []);
    assert.notDeepEqual(liveButtons(post), []);
    assert.deepEqual(
      (await told(service, id)).map(({ action, channel, to, purpose }) => [action, channel, to, purpose]),
      [["notification_sent", "slack", dana.id, "assigned"]],
    );
    await slack.click({ user: dana, post, action_id: "answer:choose:0", confirm: true });
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.deepEqual([body.status, body.completed_by_user_id], ["completed", user.id]);
    // The message itself says so; there is no other one.
    await send();
    assert.equal(slack.posts.length, 1);
    assert.deepEqual(liveButtons(post), []);
  },
);

testWithSlack("a person who has a message of the task already gets no second one", async ({ service, slack, send }) => {
  const dana = slack.addUser({ name: "dana" });
  const user = await addMember(service, slack, dana.id);
  const { id } = await service.create({ notify: [`slack:${dana.id}`, "slack:#approvals"] });
  await send();
  await assign(service, id, user.id);
  await assign(service, id, null);
  await assign(service, id, user.id);
  await send();
  assert.equal(slack.posts.length, 2);
});

testWithSlack(
  "people in Slack learn of the end from their message, which is changed",
  async ({ service, slack, send }) => {
    const { id } = await service.create({ notify: ["slack:#approvals"] });
    await send();
    await service.call("POST", `/api/tasks/${id}/cancel`);
    await send();
    assert.equal(slack.posts.length, 1);
    assert.deepEqual(liveButtons(slack.posts[0]!), []);
    assert.match(JSON.stringify(slack.posts[0]!.blocks), /cancelled/i);
  },
);
