import assert from "node:assert/strict";
import type { InputBlock } from "@slack/types";
import { told } from "../../../test/support/mail.ts";
import { addUser } from "../../../test/support/people.ts";
import type { TestService } from "../../../test/support/service.ts";
import { liveButtons, said, testWithSlack, whispers } from "../../../test/support/slack-service.ts";
import type { Post } from "../../../test/support/slack/workspace.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { proofOf } from "../action/proofs.ts";

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

const statusOf = async ({ call }: TestService, id: string) =>
  (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body.status;

const isDirect = ({ channel, ephemeral_to }: Post) => channel.startsWith("D") && ephemeral_to === null;

const FORM = {
  type: "object",
  properties: { approved: { type: "boolean" }, note: { type: "string" } },
  required: ["approved", "note"],
};
const ONLY_NOTIFIED = "Only the people who were notified can answer this task. Nothing was sent.";

testWithSlack(
  "the message of a former assignee gives no right, and that of the channel does",
  async ({ service, slack, send }) => {
    const dana = slack.addUser({ name: "dana" });
    const user = await addMember(service, slack, dana.id);
    const { id } = await service.create({ notify: ["slack:#approvals"] });
    await assign(service, id, user.id);
    await send();
    const direct = slack.posts.find(isDirect)!;
    const room = slack.posts.find((post) => !isDirect(post))!;
    const press = (post: Post, action_id: string) =>
      slack.click({ user: dana, post, action_id, ...(action_id !== "claim" && { confirm: true }) });

    // The message still has its buttons: it is updated a moment later.
    await assign(service, id, null);
    await press(direct, "answer:choose:0");
    assert.deepEqual(whispers(slack), [ONLY_NOTIFIED]);
    assert.equal(await statusOf(service, id), "created");
    await send();
    assert.deepEqual(liveButtons(direct), []);
    assert.match(said(direct), /^Only the people who were notified can answer this task\. You cannot answer it\./m);

    await assign(service, id, user.id);
    await send();
    assert.ok(liveButtons(direct).includes("answer:choose:0"));
    await assign(service, id, null);
    await send();
    await press(room, "claim");
    await press(room, "answer:choose:0");
    assert.equal(await statusOf(service, id), "completed");
  },
);

testWithSlack("a former assignee cannot send the form that they had opened", async ({ service, slack, send }) => {
  const dana = slack.addUser({ name: "dana" });
  const user = await addMember(service, slack, dana.id);
  const { id } = await service.create({ response_schema: FORM, notify: ["slack:#approvals"] });
  await assign(service, id, user.id);
  await send();
  await slack.click({ user: dana, post: slack.posts.find(isDirect)!, action_id: "answer:open" });
  const view = slack.views[0]!;
  const inputs = view.blocks.filter(({ type }) => type === "input") as unknown as InputBlock[];
  const values = Object.fromEntries(
    inputs.map(({ block_id = "", element }) => [
      block_id,
      { [element.action_id ?? ""]: block_id === "/approved" ? "0" : "Mine" },
    ]),
  );
  await assign(service, id, null);
  assert.equal((await slack.submit({ user: dana, view, values })).failure, null);
  assert.ok(said(view).includes(ONLY_NOTIFIED));
  assert.match(said(view), /Mine/);
  assert.equal(await statusOf(service, id), "created");
});

testWithSlack(
  "a link that an assignee asked for opens the task while it is theirs",
  async ({ service, slack, send }) => {
    const dana = slack.addUser({ name: "dana" });
    const user = await addMember(service, slack, dana.id);
    const { id } = await service.create({ redact_payload: true, notify: ["slack:#approvals"] });
    await assign(service, id, user.id);
    await send();
    const direct = slack.posts.find(isDirect)!;
    const room = slack.posts.find((post) => !isDirect(post))!;
    const linkIn = async (post: Post) => {
      await slack.click({ user: dana, post, action_id: "answer:browser" });
      return new URL(/"url":"([^"]+)"/.exec(JSON.stringify(slack.posts.at(-1)!.blocks))![1]!).pathname;
    };
    const [ofDirect, ofRoom] = [await linkIn(direct), await linkIn(room)];
    // As an earlier release made it.
    const named = [id, slack.team.id, dana.id, user.id];
    const before = `/api/channels/slack/action/${[...named, proofOf(service.ctx, "slack_link", named.join(" "))].join(".")}`;
    const statuses = async () => {
      const pages = [ofDirect, before, ofRoom].map(async (path) => service.call("GET", path, { token: null }));
      return (await Promise.all(pages)).map(({ status }) => status);
    };
    assert.deepEqual(await statuses(), [200, 200, 200]);
    await assign(service, id, null);
    assert.deepEqual(await statuses(), [403, 403, 200]);
    await assign(service, id, user.id);
    assert.deepEqual(await statuses(), [200, 200, 200]);
  },
);

testWithSlack(
  "a former assignee whom the task names may answer in each of their messages",
  async ({ service, slack, send }) => {
    const dana = slack.addUser({ name: "dana" });
    const user = await addMember(service, slack, dana.id);
    const answerIn = async (notify: string[], direct: number, pressed: number) => {
      const { id } = await service.create({ notify });
      await assign(service, id, user.id);
      await send();
      await send();
      const posts = slack.posts.filter((post) => isDirect(post) && said(post).includes(id));
      assert.equal(posts.length, direct);
      await assign(service, id, null);
      await send();
      await slack.click({ user: dana, post: posts[pressed]!, action_id: "answer:choose:0", confirm: true });
      assert.equal(await statusOf(service, id), "completed");
    };
    await answerIn([`slack:${dana.id}`, "slack:#approvals"], 1, 0);
    // A handle is not in the directory, so a second message was sent for the assignment.
    await answerIn(["slack:@dana", "slack:#approvals"], 2, 0);
    await answerIn(["slack:@dana", "slack:#approvals"], 2, 1);
  },
);
