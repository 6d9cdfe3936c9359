import assert from "node:assert/strict";
import { addUser } from "../../../../test/support/people.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { buttonsIn, said, slackOf, testWithSlack } from "../../../../test/support/slack-service.ts";
import { HOUR, MINUTE } from "../../../lib/time.ts";

const SIMPLE = {
  type: "object",
  properties: { approved: { type: "boolean", title: "Approve?" } },
  required: ["approved"],
};
const GONE = "This task was deleted.";

const owed = async ({ ctx }: TestService) =>
  (await ctx.db.query.selectFrom("deliveries").select("kind").execute()).map(({ kind }) => kind);

/** Rows that a deletion must not leave. */
async function leftIn({ ctx: { db } }: TestService): Promise<number> {
  const counts = await Promise.all(
    (["deliveries", "delivery_bodies", "delivery_attempts", "delivery_places"] as const).map((table) =>
      db.query.selectFrom(table).selectAll().execute(),
    ),
  );
  return counts.flat().length;
}

async function remove(service: TestService, id: string): Promise<void> {
  assert.equal((await service.call("DELETE", `/api/tasks/${id}`)).status, 204);
}

testWithSlack(
  "the messages of a task that is deleted say that, and nothing of it any more",
  async ({ service, slack, send }) => {
    const dana = slack.addUser({ name: "dana" });
    const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals", `slack:${dana.id}`] });
    const ended = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
    await send();
    await send();
    await service.call("POST", `/api/tasks/${ended.id}/complete`, { body: { response: { approved: true } } });
    await send();
    assert.equal(slack.posts.length, 3);
    for (const task of [id, ended.id]) await remove(service, task);
    await send();
    await send();
    assert.equal(slack.posts.length, 3);
    for (const post of slack.posts) {
      assert.deepEqual([post.text, said(post), buttonsIn(post)], [GONE, GONE, []]);
      assert.doesNotMatch(JSON.stringify(post.blocks), /refund|12\.5|tsk_/i);
    }
    assert.equal(await leftIn(service), 0);
    assert.deepEqual(slack.failures, []);
  },
);

testWithSlack(
  "what a deleted task had said in Slack is taken back however long Slack is down, by any process",
  async ({ service, slack, send }) => {
    const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
    await send();
    const [post] = slack.posts;
    slack.refuse("chat.update", 3, "internal_error");
    await remove(service, id);
    for (const minutes of [0, 1, 3]) {
      assert.notEqual(post!.text, GONE);
      service.clock.advance(minutes * MINUTE);
      await send();
    }
    assert.notEqual(post!.text, GONE);
    assert.deepEqual(await owed(service), ["slack_removal"]);
    slack.limit("chat.update", 1, 1200);
    service.clock.advance(11 * MINUTE);
    await send();
    service.clock.advance(40 * MINUTE);
    await send();
    assert.equal(post!.text, GONE);
    assert.equal(await leftIn(service), 0);
  },
);

testWithSlack("what cannot be taken back in Slack is given up, and leaves no row", async ({ service, slack, send }) => {
  const [first, second] = [
    await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] }),
    await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] }),
  ];
  await send();
  await send();
  slack.refuse("chat.update", 1, "cant_update_message");
  await remove(service, first.id);
  await send();
  assert.equal((await owed(service)).includes("slack_removal"), false);
  // Somebody was there before.
  const post = slack.posts.find((one) => said(one).includes(second.id));
  slack.posts.splice(slack.posts.indexOf(post!), 1);
  await remove(service, second.id);
  await send();
  assert.equal(await leftIn(service), 0);
});

testWithSlack("where Slack stays down for days, no row is left either", async ({ service, slack, send }) => {
  const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
  await send();
  slack.refuse("chat.update", 100, "internal_error");
  await remove(service, id);
  for (let attempt = 0; attempt < 10; attempt++) {
    assert.deepEqual(await owed(service), ["slack_removal"]);
    service.clock.advance(25 * HOUR);
    await send();
    await send();
    if ((await owed(service)).length === 0) break;
  }
  assert.equal(await leftIn(service), 0);
});

testWithSlack("a task that nobody was told of in Slack leaves nothing to take back", async ({ service, slack }) => {
  const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
  await remove(service, id);
  assert.equal(await leftIn(service), 0);
  assert.deepEqual(slack.posts, []);
});

testWithSlack(
  "a message that is being posted or changed while its task is deleted ends up without content",
  async ({ service, slack, send }) => {
    for (const { isChange, when } of [
      { isChange: false, when: "after" },
      { isChange: true, when: "after" },
      { isChange: true, when: "before" },
    ] as const) {
      const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
      if (isChange) {
        await send();
        await service.call("POST", `/api/tasks/${id}/assign`, { body: { email: "lee@example.com" } });
      }
      const method = isChange ? "chat.update" : "chat.postMessage";
      const { length: calls } = slack.calls;
      slack.interrupt(when, method, async () => {
        await remove(service, id);
        // Another process has done by then what the deletion owes.
        if (when === "before") await service.ctx.db.write((tx) => tx.query.deleteFrom("deliveries").execute());
      });
      await send();
      assert.equal(slack.calls.slice(calls).filter((call) => call.method === method).length > 0, true);
      assert.equal((await service.call("GET", `/api/tasks/${id}`)).status, 404);
      await send();
      const post = slack.posts.at(-1)!;
      assert.deepEqual([post.text, said(post)], [GONE, GONE]);
      service.clock.advance(2 * MINUTE);
      await send();
      if (when === "after") assert.equal(await leftIn(service), 0);
    }
    assert.equal(slack.posts.length, 3);
    assert.deepEqual(slack.failures, []);
  },
);

testWithSlack(
  "what a process that is lost at the deletion writes after it goes as well",
  async ({ service, slack, send }) => {
    const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
    await send();
    const post = slack.posts[0]!;
    const { channel, ts, text, blocks } = post;
    const before = { text, blocks: blocks as never };
    // Its attempt was under way.
    await service.ctx.db.write((tx) => tx.query.updateTable("deliveries").set({ lease_owner: "lost" }).execute());
    await remove(service, id);
    await send();
    assert.equal(post.text, GONE);
    await slackOf(service).ofEnvironment!.update({ channel, ts }, before);
    assert.notEqual(post.text, GONE);
    service.clock.advance(MINUTE);
    await send();
    assert.equal(post.text, GONE);
    assert.equal(await leftIn(service), 0);
  },
);

testWithSlack(
  "why an answer was sent back goes with its task",
  async ({ service, slack, send }) => {
    await addUser(service, { email: "dana@example.com" });
    const { id } = await service.create({
      response_schema: SIMPLE,
      notify: ["slack:#approvals"],
      verifier_config: { provider: "openai", instructions: "Check it.", max_attempts: 3 },
    });
    await send();
    for (let attempt = 0; attempt < 2; attempt++) {
      await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
      await send();
    }
    assert.deepEqual(
      slack.posts.map(({ text }) => /hunter2/.test(text)),
      [false, true, true],
    );
    // One is gone already, and keeps nothing else there.
    slack.posts.splice(1, 1);
    await remove(service, id);
    await send();
    assert.equal(slack.posts.length, 2);
    for (const post of slack.posts) assert.deepEqual([post.text, said(post)], [GONE, GONE]);
    assert.equal(await leftIn(service), 0);
    assert.deepEqual(
      slack.failures.map(({ error }) => error),
      ["message_not_found"],
    );
  },
  {
    env: { OPENAI_API_KEY: "k" },
    verify: async () => ({ passed: false, verified: true, reason: "You wrote hunter2." }) as never,
  },
);
