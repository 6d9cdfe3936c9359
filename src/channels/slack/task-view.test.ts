import assert from "node:assert/strict";
import { addUser } from "../../../test/support/people.ts";
import type { TestService } from "../../../test/support/service.ts";
import { buttonsIn, liveButtons, said, testWithSlack, whispers } from "../../../test/support/slack-service.ts";
import type { Post } from "../../../test/support/slack/workspace.ts";
import { MINUTE } from "../../lib/time.ts";
import { endLapsedClaims } from "../../tasks/claims.ts";
import type { AuditEntryRecord, TaskRecord } from "../../tasks/schema.ts";

const SIMPLE = {
  type: "object",
  properties: { approved: { type: "boolean", title: "Approve?" } },
  required: ["approved"],
};

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;

/** Whether a message is to this one person. */
const isTo =
  (user: string) =>
  ({ channel }: Post): boolean =>
    channel === `D${user.slice(1)}`;

/** What ends claims at their time, and whatever it owes. */
async function lapse(service: TestService, send: () => Promise<void>): Promise<void> {
  service.clock.advance(10 * MINUTE);
  assert.equal(await endLapsedClaims(service.ctx), 1);
  await send();
}

testWithSlack(
  "a message stops saying that somebody is on it when their claim ends, and offers the task again",
  async ({ service, slack, send }) => {
    for (const name of ["dana", "lee"])
      await addUser(service, { email: `${name}@example.com`, display_name: name, pool: "kyc" });
    const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
    const open = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
    const pool = await service.create({
      response_schema: SIMPLE,
      notify: ["slack:#approvals"],
      assign_to: { pool: "kyc" },
    });
    await send();
    for (const { id } of [open, pool]) {
      const post = slack.posts.find((one) => said(one).includes(id))!;
      const before = said(post);
      assert.ok(buttonsIn(post).includes("claim"));
      await slack.click({ user: dana, post, action_id: "claim" });
      await send();
      assert.match(said(post), /^dana is working on this$/m);
      // A claim of a candidate takes the task.
      assert.equal(/^Assigned to dana$/m.test(said(post)), id === pool.id);
      assert.equal(buttonsIn(post).includes("claim"), id !== pool.id);
      await lapse(service, send);
      assert.equal(said(post), before);
      assert.ok(buttonsIn(post).includes("claim"));
    }
    assert.deepEqual(slack.failures, []);
  },
);

testWithSlack(
  "who is told of a decision of others can read it and not answer, until it is theirs",
  async ({ service, slack, send }) => {
    await addUser(service, { email: "dana@example.com", display_name: "Dana" });
    await addUser(service, { email: "lee@example.com", display_name: "Lee" });
    const lead = slack.addUser({ name: "lead", email: "lead@example.com" });
    const lee = slack.addUser({ name: "lee", email: "lee@example.com" });
    const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
    const { id } = await service.create({
      response_schema: SIMPLE,
      notify: [`slack:${lead.id}`, "slack:@lee", "slack:dana@example.com", "slack:#approvals"],
      assign_to: { email: "dana@example.com" },
    });
    await send();
    await send();
    assert.equal(slack.posts.length, 4);
    const [toLead, toLee, toDana] = [lead, lee, dana].map(({ id: user }) => slack.posts.find(isTo(user)));
    const inChannel = slack.posts.find(({ channel }) => channel.startsWith("C"));
    for (const post of [toLead!, toLee!]) {
      assert.deepEqual(buttonsIn(post), ["open"]);
      assert.match(said(post), /This task is assigned to Dana\. You cannot answer it\./);
      assert.match(said(post), /12\.5/);
    }
    for (const post of [toDana!, inChannel!])
      assert.deepEqual(liveButtons(post), ["answer:choose:0", "answer:choose:1"]);

    await service.call("POST", `/api/tasks/${id}/assign`, { body: { email: "lee@example.com" } });
    await send();
    assert.deepEqual(liveButtons(toLee!), ["answer:choose:0", "answer:choose:1"]);
    assert.deepEqual(liveButtons(toDana!), []);
    assert.match(said(toDana!), /This task is assigned to Lee/);
    await slack.click({ user: lee, post: toLee!, action_id: "answer:choose:0", confirm: true });
    assert.equal((await read(service, id)).completed_by_email, "lee@example.com");
    await send();
    for (const post of slack.posts) {
      assert.match(said(post), /Lee/);
      assert.deepEqual(buttonsIn(post), []);
    }
    assert.deepEqual(slack.failures, []);
  },
);

testWithSlack(
  "a pool's task shows its answer controls to who is in the pool, and to nobody else",
  async ({ service, slack, send }) => {
    await addUser(service, { email: "dana@example.com", pool: "kyc" });
    await addUser(service, { email: "out@example.com" });
    const [dana, out] = ["dana", "out"].map((name) => slack.addUser({ name, email: `${name}@example.com` }));
    const { id } = await service.create({
      response_schema: SIMPLE,
      notify: ["slack:@dana", "slack:@out"],
      assign_to: { pool: "kyc" },
    });
    await send();
    await send();
    const [toDana, toOut] = [dana, out].map((user) => slack.posts.find(isTo(user!.id)));
    assert.deepEqual(liveButtons(toDana!), ["answer:choose:0", "answer:choose:1", "claim"]);
    assert.deepEqual(liveButtons(toOut!), []);
    assert.match(said(toOut!), /This task is offered to the pool "kyc"\./);
    const channel = slack.addChannel({ name: "c" });
    await slack.send({
      type: "block_actions",
      team: { id: slack.team.id },
      user: { id: out!.id, team_id: slack.team.id },
      channel: { id: channel.id },
      actions: [{ action_id: "answer:choose:0", value: id }],
    });
    assert.equal((await read(service, id)).status, "created");
    assert.deepEqual(whispers(slack), ['This task is offered to the pool "kyc". Nothing was sent.']);
    await slack.click({ user: dana!, post: toDana!, action_id: "answer:choose:0", confirm: true });
    assert.equal((await read(service, id)).status, "completed");
  },
);

testWithSlack(
  "an answer of somebody whom only Slack knows says who it was, and nobody is called by that",
  async ({ service, slack, send }) => {
    const stranger = slack.addUser({ id: "U0123456789", name: "stranger" });
    const { id } = await service.create({ response_schema: SIMPLE, notify: [`slack:${stranger.id}`] });
    const other = await service.create({ response_schema: SIMPLE, notify: [`slack:${stranger.id}`] });
    await send();
    await send();
    const postOf = (task: string) => slack.posts.find((one) => said(one).includes(task))!;
    const post = postOf(id);
    // A claim is for people in the directory, and there is nobody else here whom it would tell anything.
    assert.deepEqual(liveButtons(post), ["answer:choose:0", "answer:choose:1"]);
    const claim = (user_id: string) =>
      slack.send({
        type: "block_actions",
        team: { id: slack.team.id },
        user: { id: user_id, team_id: slack.team.id },
        channel: { id: post.channel },
        actions: [{ action_id: "claim", value: id }],
      });
    await claim(stranger.id);
    assert.match(
      whispers(slack).at(-1) ?? "",
      /^You need an account here to claim tasks\. You can answer without a claim\.$/,
    );

    await slack.click({ user: stranger, post, action_id: "answer:choose:0", confirm: true });
    await slack.click({ user: stranger, post, action_id: "answer:choose:1", confirm: true });
    assert.match(whispers(slack).at(-1) ?? "", /^Already answered by a Slack member\./);
    await send();
    assert.match(said(post), /^by <@U0123456789>$/m);
    assert.doesNotMatch(post.text, /<@/);
    assert.deepEqual(liveButtons(post), []);
    const task = await read(service, id);
    assert.deepEqual(
      [task.completed_by_email, task.completed_by_slack_team_id, task.completed_by_slack_user_id],
      [null, slack.team.id, stranger.id],
    );
    const { body } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
    assert.deepEqual(body.find(({ action }) => action === "completed")?.extra, {
      response_keys: ["approved"],
      slack_team_id: slack.team.id,
      slack_user_id: stranger.id,
    });

    // In another workspace's id nobody is meant here.
    await slack.click({ user: stranger, post: postOf(other.id), action_id: "answer:choose:0", confirm: true });
    await service.ctx.db.write((tx) =>
      tx.query.updateTable("tasks").set({ completed_by_slack_team_id: "T0OTHER" }).where("id", "=", other.id).execute(),
    );
    await send();
    assert.match(said(postOf(other.id)), /by a Slack member/);
    assert.doesNotMatch(said(postOf(other.id)), /<@/);
    assert.deepEqual(slack.failures, []);
  },
  { mentions: ["<@U0123456789>"] },
);
