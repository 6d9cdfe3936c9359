import assert from "node:assert/strict";
import { newAgent } from "../../../../test/support/agents.ts";
import { addUser } from "../../../../test/support/people.ts";
import { newTaskBody, type TestService } from "../../../../test/support/service.ts";
import { said, testWithSlack, whispers, type Stage } from "../../../../test/support/slack-service.ts";
import type { Post } from "../../../../test/support/slack/workspace.ts";
import type { CommentRecord } from "../../../conversation/schema.ts";
import { HOUR, MINUTE } from "../../../lib/time.ts";
import type { TaskRecord } from "../../../tasks/schema.ts";
import { BOT_SCOPES } from "../workspaces/manifest.ts";

const READS = { scopes: BOT_SCOPES };

const comments = async ({ call }: TestService, id: string) =>
  (await call<CommentRecord[]>("GET", `/api/tasks/${id}/comments?limit=200`)).body;
const texts = async (service: TestService, id: string) => (await comments(service, id)).map(({ text }) => text);
const comment = async ({ call }: TestService, id: string, text: string, fields: object = {}) =>
  assert.equal((await call("POST", `/api/tasks/${id}/comments`, { body: { text, ...fields } })).status, 201);
const threadOf = ({ slack }: Pick<Stage, "slack">, { ts, channel }: Post) =>
  slack.posts.filter((post) => post.thread_ts === ts && post.channel === channel && post.ephemeral_to === null);
const ours = (stage: Pick<Stage, "slack">, post: Post) => threadOf(stage, post).filter(({ by }) => by === null);

/** Dana, who is in the directory, and a task in a channel. */
async function asked({ service, slack, send }: Stage, fields: object = {}) {
  await addUser(service, { email: "dana@example.com", display_name: "Dana Field" });
  const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
  const { id } = await service.create({ notify: ["slack:#approvals"], ...fields });
  await send();
  return { id, dana, post: slack.posts[0]! };
}

testWithSlack(
  "what is said about a task is in the thread of its message, in order and with who said it",
  async (stage) => {
    const { service, slack, send } = stage;
    const agent = await newAgent(service, { name: "refund-bot" });
    await addUser(service, { email: "dana@example.com", display_name: "Dana" });
    const { body } = await agent.call<TaskRecord>("POST", "/api/tasks", {
      body: newTaskBody({ notify: ["slack:#approvals"] }),
    });
    await send();
    const [post] = slack.posts;
    await comment(service, body.id, "Which card?", { kind: "question" });
    await send();
    assert.equal((await agent.call("POST", `/api/tasks/${body.id}/comments`, { body: { text: "4242" } })).status, 201);
    await comment(service, body.id, "Thanks <!channel> & @here *all*");
    await send();
    assert.deepEqual(
      ours(stage, post!).map((reply) => said(reply)),
      [
        "admin asked:\nWhich card?",
        "refund-bot replied:\n4242\nadmin said:\nThanks &lt;!channel&gt; &amp; @\u2060here *all*",
      ],
    );
    // The message itself says while the asker is waited for, and shows nothing else that has changed.
    assert.equal(post!.updates.length, 2);
    await send();
    assert.equal(ours(stage, post!).length, 2);
    assert.deepEqual(slack.failures, []);
  },
  READS,
);

testWithSlack(
  "what a person writes in the thread is their comment, or their question, and is not said again there",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, dana, post } = await asked(stage);
    const answers = [
      await slack.say({ user: dana, thread: post, text: "The amount is &gt; 10. Ask <@" + dana.id + ">" }),
      await slack.say({ user: dana, thread: post, text: "Which card was charged?" }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    const [first, second] = await comments(service, id);
    assert.deepEqual(first, {
      ...first,
      kind: "comment",
      text: "The amount is > 10. Ask @dana",
      by: {
        kind: "person",
        user_id: first!.by.user_id,
        email: "dana@example.com",
        name: "Dana Field",
        channel: "slack",
        slack: { team_id: slack.team.id, user_id: dana.id },
      },
    });
    assert.equal(second?.kind, "question");
    assert.equal((await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.waiting_on, "agent");
    await send();
    assert.match(said(post), /^Waits for the asker's reply$/m);
    await comment(service, id, "The one that ends with 4242.");
    await send();
    assert.doesNotMatch(said(post), /Waits for the asker's reply/);
    assert.deepEqual(
      ours(stage, post).map((reply) => said(reply)),
      ["admin replied:\nThe one that ends with 4242."],
    );
    assert.deepEqual(whispers(slack), []);
    assert.deepEqual(slack.failures, []);
  },
  READS,
);

testWithSlack(
  "each message of a task has in its thread what was said elsewhere, also one that is posted later",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, dana, post } = await asked(stage, { notify: ["slack:#approvals", "slack:dana@example.com"] });
    await send();
    const direct = slack.posts.find(({ channel }) => channel.startsWith("D"))!;
    await slack.say({ user: dana, thread: post, text: "In the channel" });
    await slack.say({ user: dana, thread: direct, text: "In private" });
    await send();
    await send();
    assert.deepEqual(
      [post, direct].map((one) => ours(stage, one).map((reply) => said(reply))),
      [["Dana Field said:\nIn private"], ["Dana Field said:\nIn the channel"]],
    );
    const lee = slack.addUser({ name: "lee" });
    const user = await addUser(service, {
      email: null,
      display_name: "Lee",
      slack_team_id: slack.team.id,
      slack_user_id: lee.id,
    });
    await service.call("POST", `/api/tasks/${id}/assign`, { body: { user_id: user.id } });
    await send();
    await send();
    const late = slack.posts.find(({ channel }) => channel === `D${lee.id.slice(1)}`)!;
    assert.deepEqual(
      ours(stage, late).map((reply) => said(reply)),
      ["Dana Field said:\nIn the channel\nDana Field said:\nIn private"],
    );
  },
  READS,
);

testWithSlack(
  "an event that Slack sends again adds nothing, and one that was not stored is added then",
  async (stage) => {
    const { service, slack } = stage;
    const { id, dana, post } = await asked(stage);
    const { event } = await slack.say({ user: dana, thread: post, text: "Once" });
    for (const num of [1, 2]) assert.equal(await slack.publish(event!, { num, reason: "http_timeout" }), 200);
    await Promise.all([1, 2, 3].map((num) => slack.publish(event!, { num, reason: "http_timeout" })));
    assert.deepEqual(await texts(service, id), ["Once"]);

    // Who it is comes from Slack, which has trouble.
    slack.refuse("users.info", 1, "internal_error");
    const failed = await slack.say({ user: dana, thread: post, text: "Twice" });
    assert.equal(failed.status, 502);
    assert.deepEqual(await texts(service, id), ["Once"]);
    assert.equal(await slack.publish(failed.event!, { num: 1, reason: "http_error" }), 200);
    assert.deepEqual(await texts(service, id), ["Once", "Twice"]);
  },
  READS,
);

testWithSlack(
  "only new messages of people in a thread of a task count",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, dana, post } = await asked(stage);
    await comment(service, id, "From the agent");
    await send();
    const [reply] = ours(stage, post);
    const by = { user: dana.id, team: slack.team.id, text: "No comment", ts: "1769860800.900001" };
    const others = [
      { ...by, user: undefined, bot_id: "B0OURS", ts: reply!.ts, text: reply!.text },
      { ...by, bot_id: "B0OTHER" },
      { ...by, bot_profile: { id: "B0OTHER" }, user: "U0BOT" },
      { subtype: "message_changed", message: { ...by, text: "Edited" }, previous_message: by, ts: by.ts },
      { subtype: "message_deleted", deleted_ts: by.ts, previous_message: by, ts: by.ts },
      { ...by, subtype: "bot_message" },
      { ...by, subtype: "channel_join" },
      // Not in a thread, the message of the task itself, and a thread of another message.
      { ...by, thread_ts: undefined },
      { ...by, thread_ts: post.ts, ts: post.ts },
      { ...by, thread_ts: "1769860800.800000" },
    ];
    for (const fields of others) assert.equal(await slack.publish(slack.eventIn(post, fields)), 200);
    assert.deepEqual(await texts(service, id), ["From the agent"]);
    // The same with nothing that is wrong.
    assert.equal(await slack.publish(slack.eventIn(post, { ...by, subtype: "thread_broadcast" })), 200);
    assert.deepEqual(await texts(service, id), ["From the agent", "No comment"]);
    assert.deepEqual(whispers(slack), []);
  },
  READS,
);

testWithSlack(
  "a thread takes comments of those who may answer, and tells others why theirs are not added, once",
  async (stage) => {
    const { service, slack } = stage;
    const { id, dana, post } = await asked(stage, { assign_to: { email: "dana@example.com" } });
    const stranger = slack.addUser({ name: "stranger", email: "stranger@example.com" });
    await addUser(service, { email: "lee@example.com", display_name: "Lee" });
    const lee = slack.addUser({ name: "lee", email: "lee@example.com" });
    const gone = await addUser(service, { email: "gone@example.com" });
    await service.call("DELETE", `/api/users/${gone.id}`);
    const out = slack.addUser({ name: "gone", email: "gone@example.com" });
    for (const user of [stranger, stranger, lee, out, dana]) await slack.say({ user, thread: post, text: "Hello" });
    assert.deepEqual(
      (await comments(service, id)).map(({ by }) => by.name),
      ["Dana Field"],
    );
    const notes = slack.posts.filter(({ ephemeral_to }) => ephemeral_to !== null);
    const NOT_ADDED = "What you write in this thread is not added to the task.";
    const noAccount = `${NOT_ADDED} You don't have an account here. Ask an operator to add you.`;
    assert.deepEqual(
      notes.map(({ ephemeral_to, text, thread_ts }) => [ephemeral_to, text, thread_ts]),
      [
        [stranger.id, noAccount, post.ts],
        [lee.id, `${NOT_ADDED} Only people who may answer it can comment on it.`, post.ts],
        [out.id, noAccount, post.ts],
      ],
    );
    service.clock.advance(HOUR + MINUTE);
    await slack.say({ user: stranger, thread: post, text: "Hello?" });
    assert.equal(whispers(slack).length, 4);
  },
  READS,
);

testWithSlack(
  "the thread of a closed task goes on, both ways, and its message stays as it is",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, dana, post } = await asked(stage);
    await slack.say({ user: dana, thread: post, text: "Before" });
    await service.call("POST", `/api/tasks/${id}/cancel`);
    await send();
    const updates = post.updates.length;
    await slack.say({ user: dana, thread: post, text: "Why?" });
    await comment(service, id, "It was paid.");
    await send();
    assert.deepEqual(await texts(service, id), ["Before", "Why?", "It was paid."]);
    assert.deepEqual(
      ours(stage, post).map((reply) => said(reply)),
      ["admin replied:\nIt was paid."],
    );
    assert.equal(post.updates.length, updates);
    assert.deepEqual(whispers(slack), []);
    assert.deepEqual(slack.failures, []);
  },
  READS,
);

testWithSlack(
  "what is too long, or no words, is refused with a word to the person",
  async (stage) => {
    const { service, slack } = stage;
    const { id, dana, post } = await asked(stage);
    const long = "&lt;".repeat(20_000);
    await slack.say({ user: dana, thread: post, text: long });
    await slack.say({ user: dana, thread: post, text: `${long}!` });
    await slack.say({ user: dana, thread: post, text: "", files: ["order.pdf"] });
    await slack.say({ user: dana, thread: post, text: "See the order", files: ["order.pdf"] });
    assert.deepEqual(await texts(service, id), ["<".repeat(20_000), "See the order"]);
    assert.deepEqual(whispers(slack), [
      "Your message was not added to the task: it is longer than 20000 characters. Send it in parts.",
      "Files are not added to the task. Say it in words.",
      "Your words were added to the task, and the files were not.",
    ]);
  },
  READS,
);

testWithSlack(
  "Slack gets nothing of what is said about a redacted task but who said something, and where it is",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, dana, post } = await asked(stage, { redact_payload: true });
    await comment(service, id, "The secret word");
    await send();
    const [reply, ...more] = ours(stage, post);
    assert.deepEqual(more, []);
    assert.equal(said(reply!), `admin replied:\n<${service.ctx.config.publicUrl}/tasks/${id}|Read it in the browser>`);
    assert.doesNotMatch(JSON.stringify(slack.calls), /secret word/);
    await slack.say({ user: dana, thread: post, text: "Said in the open" });
    assert.deepEqual(await texts(service, id), ["The secret word", "Said in the open"]);
  },
  READS,
);

testWithSlack(
  "a reply that Slack may have is not posted a second time by another attempt, and a lost one is",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, post } = await asked(stage);
    await comment(service, id, "First");
    // While the first attempt posts, a second comment makes the message due again, and another attempt starts.
    slack.interrupt("before", "chat.postMessage", async () => {
      await comment(service, id, "Second");
      service.clock.advance(MINUTE / 60);
      await service.ctx.deliveries.turn();
    });
    await send();
    service.clock.advance(MINUTE);
    await send();
    assert.deepEqual(
      ours(stage, post).map((reply) => said(reply)),
      ["admin replied:\nFirst", "admin replied:\nSecond"],
    );
    // The process ended while it posted: the place is still taken, and nothing says that the reply is there.
    await comment(service, id, "Third");
    const { db, clock } = { ...service, ...service.ctx };
    await db.write((tx) => tx.query.updateTable("delivery_places").set({ begun_at: clock.now() }).execute());
    await send();
    assert.equal(ours(stage, post).length, 2);
    service.clock.advance(MINUTE);
    await send();
    assert.equal(said(ours(stage, post).at(-1)!), "admin replied:\nThird");
    assert.deepEqual(slack.failures, []);
  },
  READS,
);

testWithSlack(
  "long comments and many comments fit into messages that Slack takes, and nothing is lost on the way",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, post } = await asked(stage);
    const all = ["&".repeat(20_000), "é".repeat(8000), ...Array.from({ length: 60 }, (_, index) => `Number ${index}.`)];
    for (const text of all) await comment(service, id, text);
    slack.limit("chat.postMessage", 2, 3);
    for (let turn = 0; turn < 4; turn++) {
      service.clock.advance(MINUTE);
      await send();
    }
    const lines = ours(stage, post)
      .map((reply) => said(reply))
      .join("\n");
    assert.match(lines, /This is not all\.\n<.*\|Read it in the browser>/);
    assert.equal(lines.replaceAll(/[^é]/g, "").length, 8000);
    assert.deepEqual(
      Array.from(lines.matchAll(/Number (\d+)\./g), ([, index]) => Number(index)),
      [...Array(60).keys()],
    );
    assert.deepEqual(slack.failures, []);
  },
  READS,
);

testWithSlack(
  "a long conversation is posted a few replies at a time, goes on where it stopped, and never fails",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, post } = await asked(stage);
    const starts = Array.from({ length: 12 }, (_, index) => `Part ${index}:`);
    for (const start of starts) await comment(service, id, `${start} ${"x".repeat(9000)}`);
    const shown = () => ours(stage, post).length;
    // After the first reply Slack wants to be left alone for 20 seconds.
    slack.interrupt("after", "chat.postMessage", async () => slack.limit("chat.postMessage", 1, 20));
    const counts: number[] = [];
    for (let turn = 0; turn < 8; turn++) {
      await send();
      counts.push(shown());
    }
    assert.deepEqual(counts, [1, 1, 1, 1, 4, 7, 10, 12]);
    assert.deepEqual(
      ours(stage, post).map((reply) => /Part \d+:/.exec(said(reply))?.[0]),
      starts,
    );
    const [row] = await service.ctx.db.query.selectFrom("deliveries").selectAll().where("kind", "=", "slack").execute();
    assert.deepEqual([row!.status, row!.attempt_count], ["SUCCEEDED", 1]);
    assert.deepEqual(slack.failures, []);
  },
  READS,
);

testWithSlack(
  "what a deleted task had said in a thread is taken back there, and what people wrote stays theirs",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, dana, post } = await asked(stage);
    await comment(service, id, "The secret word");
    await slack.say({ user: dana, thread: post, text: "My own words" });
    await send();
    assert.equal((await service.call("DELETE", `/api/tasks/${id}`)).status, 204);
    await send();
    assert.deepEqual([post, ...threadOf(stage, post)].map(({ text }) => text).toSorted(), [
      "My own words",
      "This task was deleted.",
      "This task was deleted.",
    ]);
    assert.equal((await slack.say({ user: dana, thread: post, text: "Hello?" })).status, 200);
  },
  READS,
);

testWithSlack(
  "events count only with Slack's signature, from a connected workspace",
  async (stage) => {
    const { service, slack } = stage;
    const { id, dana, post } = await asked(stage);
    const by = { user: dana.id, team: slack.team.id, text: "Forged", ts: "1769860800.900001" };
    const event = slack.eventIn(post, by);
    const seconds = Math.floor(service.clock.now() / 1000);
    for (const forged of [{ secret: "not-the-one" }, { seconds: seconds - 301 }]) {
      const { status, body } = await slack.sendEvent(event, forged);
      assert.deepEqual(
        [status, (JSON.parse(body) as { error_code: string }).error_code],
        [401, "INVALID_SLACK_SIGNATURE"],
      );
    }
    const challenge = { type: "url_verification", token: "t", challenge: "3eZbrw1aB" };
    assert.equal((await slack.sendEvent(challenge, { secret: "not-the-one" })).status, 401);
    const { status, body } = await slack.sendEvent(challenge);
    assert.deepEqual([status, JSON.parse(body)], [200, { challenge: "3eZbrw1aB" }]);
    const elsewhere = { ...event, team_id: "T0ELSEWHERE", authorizations: [{ team_id: "T0ELSEWHERE" }] };
    for (const other of [elsewhere, {}, [], { type: "app_rate_limited" }])
      assert.equal((await slack.sendEvent(other as typeof event)).status, 200);
    assert.deepEqual(await texts(service, id), []);
    assert.equal((await slack.sendEvent(event)).status, 200);
    assert.deepEqual(await texts(service, id), ["Forged"]);
  },
  READS,
);

testWithSlack(
  "an app without the new scopes asks and says as before, and reads no threads",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, dana, post } = await asked(stage);
    await comment(service, id, "Said elsewhere");
    assert.equal((await slack.say({ user: dana, thread: post, text: "Unheard" })).event, null);
    await send();
    assert.deepEqual(
      ours(stage, post).map((reply) => said(reply)),
      ["admin replied:\nSaid elsewhere"],
    );
    assert.deepEqual(await texts(service, id), ["Said elsewhere"]);
    assert.deepEqual(slack.failures, []);
  },
  { scopes: BOT_SCOPES.filter((scope) => !scope.endsWith(":history")) },
);

testWithSlack(
  "over Socket Mode a thread is read as over HTTP, and an event that failed is not acknowledged",
  async (stage) => {
    const { service, slack } = stage;
    const { id, dana, post } = await asked(stage);
    await slack.until(() => slack.connections() > 0);
    const { event } = await slack.say({ user: dana, thread: post, text: "Which card?" });
    await slack.publish(event!, { num: 1, reason: "http_timeout" });
    assert.deepEqual(await texts(service, id), ["Which card?"]);
    slack.refuse("users.info", 1, "internal_error");
    let acknowledged = 0;
    const known = slack.calls.length;
    void slack.say({ user: dana, thread: post, text: "Twice" }).then(() => acknowledged++);
    await slack.until(() => slack.calls.slice(known).some(({ method }) => method === "users.info"));
    const again = slack.posts.at(-1)!;
    const by = { user: dana.id, team: slack.team.id, text: again.text, ts: again.ts };
    await slack.publish(slack.eventIn(post, by), { num: 1, reason: "http_timeout" });
    assert.deepEqual(await texts(service, id), ["Which card?", "Twice"]);
    assert.equal(acknowledged, 0);
    assert.deepEqual(slack.failures, []);
  },
  { ...READS, isSocketMode: true },
);
