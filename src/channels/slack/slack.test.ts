import assert from "node:assert/strict";
import { addUser, person } from "../../../test/support/people.ts";
import type { TestService } from "../../../test/support/service.ts";
import { buttonsIn, liveButtons, said, testWithSlack, whispers } from "../../../test/support/slack-service.ts";
import { ServiceError } from "../../errors.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";
import type { AuditEntryRecord, TaskRecord } from "../../tasks/schema.ts";

const SIMPLE = {
  type: "object",
  properties: { approved: { type: "boolean", title: "Approve this refund?" } },
  required: ["approved"],
};

async function told({ call }: TestService, id: string) {
  const { body } = await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  return body
    .filter(({ action }) => action.startsWith("notification"))
    .map(({ action, extra }) => ({ action, ...(extra as { to: string; error?: string }) }));
}

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;

testWithSlack(
  "a button answers a simple task; the message says who did, and has no button left",
  async ({ service, slack, send }) => {
    await addUser(service, { email: "dana@example.com", display_name: "Dana Field" });
    const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
    const { id } = await service.create({
      response_schema: SIMPLE,
      notify: ["slack:#approvals"],
      callback_url: "https://agent.example.com/hook",
    });
    await send();
    const [post] = slack.posts;
    assert.ok(post);
    assert.match(said(post), /Approve the refund\?/);
    assert.deepEqual(
      (await told(service, id)).map(({ action, to }) => [action, to]),
      [["notification_sent", "#approvals"]],
    );
    // What is pressed is asked about first.
    assert.notEqual((await slack.click({ user: dana, post, action_id: "answer:choose:0" })).asked, null);
    assert.equal((await read(service, id)).status, "created");
    const done = await slack.click({ user: dana, post, action_id: "answer:choose:0", confirm: true });
    assert.equal(done.failure, null);
    const task = await read(service, id);
    assert.deepEqual(task.response, { approved: true });
    assert.equal(task.completed_by_email, "dana@example.com");
    assert.equal(task.completed_via_channel, "slack");
    await send();
    assert.deepEqual(liveButtons(post), []);
    assert.match(said(post), /Dana Field/);
    assert.equal(slack.posts.length, 1);
    // Nobody is told twice, and a message that is right is left alone.
    assert.equal((await told(service, id)).length, 1);
    assert.equal(post.updates.length, 1);
    assert.deepEqual(slack.failures, []);
  },
);

testWithSlack("a message follows its task wherever that is decided", async ({ service, slack, send }) => {
  const ends: [string, () => Promise<unknown>, RegExp][] = [];
  const add = async (act: (id: string) => Promise<unknown>, says: RegExp, fields = {}) => {
    const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"], ...fields });
    ends.push([id, async () => act(id), says]);
  };
  await add(
    (id) => service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: false } } }),
    /Answered|No/,
  );
  await add((id) => service.call("POST", `/api/tasks/${id}/cancel`), /Cancelled/);
  for (const [id, act, says] of ends) {
    await send();
    const mine = slack.posts.find((one) => said(one).includes(id));
    assert.ok(mine);
    assert.notDeepEqual(liveButtons(mine), [], id);
    await act();
    await send();
    assert.deepEqual(liveButtons(mine), []);
    assert.match(said(mine), says);
  }
});

testWithSlack("who presses too late is told who was first", async ({ service, slack, send }) => {
  for (const name of ["dana", "lee"]) await addUser(service, { email: `${name}@example.com`, display_name: name });
  const [dana, lee] = ["dana", "lee"].map((name) => slack.addUser({ name, email: `${name}@example.com` }));
  const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
  await send();
  const [post] = slack.posts;
  await slack.click({ user: dana!, post: post!, action_id: "answer:choose:0", confirm: true });
  await slack.click({ user: lee!, post: post!, action_id: "answer:choose:1", confirm: true });
  assert.deepEqual(whispers(slack), ["Already answered by dana. Nothing was sent."]);
  assert.deepEqual((await read(service, id)).response, { approved: true });
});

testWithSlack("only those answer who may: the directory, and whom the task names", async ({ service, slack, send }) => {
  await addUser(service, { email: "lee@example.com", display_name: "Lee Chen" });
  await addUser(service, { email: "op@example.com", is_operator: true });
  const gone = await addUser(service, { email: "gone@example.com" });
  await service.call("DELETE", `/api/users/${gone.id}`);
  const stranger = slack.addUser({ name: "stranger", email: "stranger@example.com" });
  const op = slack.addUser({ name: "op", email: "op@example.com" });
  const out = slack.addUser({ name: "gone", email: "gone@example.com" });
  const open = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
  const theirs = await service.create({
    response_schema: SIMPLE,
    notify: ["slack:#approvals"],
    assign_to: { email: "lee@example.com" },
  });
  const named = await service.create({ response_schema: SIMPLE, notify: [`slack:${stranger.id}`] });
  await send();
  await send();
  const postOf = (id: string) => slack.posts.find((post) => said(post).includes(id))!;
  const press = (user: typeof op, id: string) =>
    slack.click({ user, post: postOf(id), action_id: "answer:choose:0", confirm: true });
  for (const user of [stranger, out]) await press(user, open.id);
  assert.equal((await read(service, open.id)).status, "created");
  assert.equal(whispers(slack).length, 2);
  for (const text of whispers(slack)) assert.match(text, /You don't have an account here/);
  await press(stranger, theirs.id);
  assert.equal(whispers(slack).at(-1), "This task is assigned to Lee Chen. Nothing was sent.");
  await press(op, theirs.id);
  assert.equal((await read(service, theirs.id)).completed_by_email, "op@example.com");
  await press(stranger, named.id);
  assert.equal((await read(service, named.id)).status, "completed");
});

testWithSlack("a claim shows in the message, and keeps others from starting", async ({ service, slack, send }) => {
  for (const name of ["dana", "lee"]) await addUser(service, { email: `${name}@example.com`, display_name: name });
  const [dana, lee] = ["dana", "lee"].map((name) => slack.addUser({ name, email: `${name}@example.com` }));
  const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
  await send();
  const [post] = slack.posts;
  await slack.click({ user: dana!, post: post!, action_id: "claim" });
  assert.equal((await read(service, id)).claimed_by_email, "dana@example.com");
  await send();
  assert.match(said(post!), /dana is working on this/);
  await slack.click({ user: lee!, post: post!, action_id: "claim" });
  assert.deepEqual(whispers(slack), ["dana is already working on this."]);
  // An operator is offered to take over.
  await addUser(service, { email: "op@example.com", display_name: "op", is_operator: true });
  const op = slack.addUser({ name: "op", email: "op@example.com" });
  await slack.click({ user: op, post: post!, action_id: "claim" });
  const offer = slack.posts.at(-1)!;
  assert.equal(offer.ephemeral_to, op.id);
  assert.deepEqual(buttonsIn(offer), ["claim:over"]);
  await slack.click({ user: op, post: offer, action_id: "claim:over" });
  assert.equal((await read(service, id)).claimed_by_email, "op@example.com");
  await service.call("POST", `/api/tasks/${id}/release`);
  await slack.click({ user: dana!, post: post!, action_id: "claim" });
  await send();
  const { length: before } = post!.updates;
  // Renewed: what the message says is the same, and it is left alone.
  await slack.click({ user: dana!, post: post!, action_id: "claim" });
  await send();
  assert.equal(post!.updates.length, before);
});

testWithSlack(
  "more than one field is asked in a modal, which tells what is wrong at its field",
  async ({ service, slack, send }) => {
    await addUser(service, { email: "dana@example.com" });
    const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
    const { id } = await service.create({
      response_schema: {
        type: "object",
        properties: {
          approved: { type: "boolean" },
          code: { type: "string", pattern: "^[A-Z]{3}$" },
          note: { type: "string" },
        },
        required: ["approved", "code"],
      },
      notify: ["slack:#approvals"],
    });
    await send();
    const [post] = slack.posts;
    await slack.click({ user: dana, post: post!, action_id: "answer:open" });
    const [view] = slack.views;
    assert.ok(view, JSON.stringify([slack.failures, whispers(slack)]));
    const inputs = view.blocks.filter((block) => (block as { type: string }).type === "input") as {
      block_id: string;
      element: { action_id: string };
    }[];
    const values = (code: string) =>
      Object.fromEntries(
        inputs.map(({ block_id, element: { action_id } }) => {
          const entry = block_id.endsWith("approved") ? "0" : block_id.endsWith("code") ? code : null;
          return [block_id, { [action_id]: entry }];
        }),
      );
    const wrong = await slack.submit({ user: dana, view, values: values("abc") });
    assert.deepEqual(Object.keys(wrong.errors), ["/code"]);
    const right = await slack.submit({ user: dana, view, values: values("ABC") });
    assert.equal(right.failure, null);
    assert.deepEqual(slack.views, []);
    const task = await read(service, id);
    assert.deepEqual(task.response, { approved: true, code: "ABC" });
    assert.deepEqual(slack.failures, []);
  },
);

let isCutOff = false;
testWithSlack(
  "where the database cannot say whether an answer was stored, nobody is told that it was not",
  async ({ service, slack, send }) => {
    await addUser(service, { email: "dana@example.com", display_name: "Dana" });
    const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
    const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
    await send();
    isCutOff = true;
    await slack.click({ user: dana, post: slack.posts[0]!, action_id: "answer:choose:0", confirm: true });
    isCutOff = false;
    assert.equal((await read(service, id)).status, "completed");
    assert.deepEqual(whispers(slack), ["Already answered by Dana."]);
  },
  {
    // The answers of all writes are lost.
    db: (opened) => {
      const lose = <T>(done: T): T => {
        if (!isCutOff) return done;
        throw new ServiceError("COMMIT_UNKNOWN");
      };
      const write: typeof opened.write = async (work) => lose(await opened.write(work));
      const writeOne: typeof opened.writeOne = async (statement, params) =>
        lose(await opened.writeOne(statement, params));
      return Object.assign(Object.create(opened) as typeof opened, { write, writeOne });
    },
  },
);

let gate: Promise<void> | null = null;
testWithSlack(
  "an answer that takes longer than Slack waits is shown as being sent, and then as sent",
  async ({ service, slack, send }) => {
    await addUser(service, { email: "dana@example.com" });
    const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
    const { id } = await service.create({
      response_schema: { type: "object", properties: { why: { type: "string" } }, required: ["why"] },
      notify: ["slack:#approvals"],
    });
    await send();
    await slack.click({ user: dana, post: slack.posts[0]!, action_id: "answer:open" });
    const view = slack.views[0]!;
    const [{ block_id, element }] = view.blocks.filter(
      (block) => (block as { type: string }).type === "input",
    ) as unknown as [{ block_id: string; element: { action_id: string } }];
    const title = () => (view.title as { text: string }).text;
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    const { failure } = await slack.submit({
      user: dana,
      view,
      values: { [block_id]: { [element.action_id]: "It was broken." } },
    });
    assert.equal(failure, null);
    assert.equal(title(), "Still sending");
    assert.equal((await read(service, id)).status, "created");
    gate = null;
    opened.resolve();
    await slack.until(() => title() === "Answer sent");
    assert.deepEqual((await read(service, id)).response, { why: "It was broken." });
  },
  {
    // Writes wait while the gate is shut.
    db: (opened) => {
      const write: typeof opened.write = async (work) => {
        await gate;
        return opened.write(work);
      };
      const writeOne: typeof opened.writeOne = async (statement, params) => {
        await gate;
        return opened.writeOne(statement, params);
      };
      return Object.assign(Object.create(opened) as typeof opened, { write, writeOne });
    },
  },
);

testWithSlack("somebody of another workspace is not who their address says", async ({ service, slack, send }) => {
  await addUser(service, { email: "dana@example.com", is_operator: true });
  const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
  const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
  await send();
  const press = (user_team: string, task = id) =>
    slack.send({
      type: "block_actions",
      team: { id: slack.team.id },
      user: { id: dana.id, team_id: user_team },
      channel: { id: slack.posts[0]!.channel },
      message: { ts: slack.posts[0]!.ts },
      actions: [{ action_id: "answer:choose:0", value: task }],
    });
  assert.equal((await press("T0OTHER")).status, 200);
  assert.equal((await read(service, id)).status, "created");
  assert.match(whispers(slack)[0] ?? "", /You don't have an account here/);
  // Ids are a workspace's own: who is named by id is somebody of ours.
  const named = await service.create({ response_schema: SIMPLE, notify: [`slack:${dana.id}`], assign_to: null });
  await service.ctx.db.write((tx) => tx.query.updateTable("users").set({ email: null, email_key: null }).execute());
  await press("T0OTHER", named.id);
  assert.equal((await read(service, named.id)).status, "created");
  await press(slack.team.id, named.id);
  assert.equal((await read(service, named.id)).status, "completed");
});

testWithSlack("what does not come from Slack, or not just now, does nothing", async ({ service, slack, send }) => {
  const { user } = await person(service, { email: "dana@example.com" });
  const dana = slack.addUser({ name: "dana", email: user.email ?? "" });
  const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
  await send();
  const payload = {
    type: "block_actions",
    team: { id: slack.team.id },
    user: { id: dana.id, team_id: slack.team.id },
    channel: { id: slack.posts[0]!.channel },
    message: { ts: slack.posts[0]!.ts },
    actions: [{ action_id: "answer:choose:0", value: id }],
  };
  const now = Math.floor(service.clock.now() / 1000);
  for (const forged of [{ secret: "wrong" }, { seconds: now - 301 }, { seconds: now + 301 }])
    assert.equal((await slack.send(payload, forged)).status, 401);
  const unsigned = await service.call("POST", "/api/channels/slack/interactions", {
    token: null,
    raw: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  assert.equal(unsigned.status, 401);
  assert.equal((await read(service, id)).status, "created");
  assert.equal((await slack.send(payload)).status, 200);
  assert.equal((await read(service, id)).status, "completed");
});

testWithSlack("a press counts once, however often and wherever it comes again", async ({ service, slack, send }) => {
  const { user } = await person(service, { email: "dana@example.com" });
  const dana = slack.addUser({ name: "dana", email: user.email ?? "" });
  const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
  await send();
  const payload = {
    type: "block_actions",
    team: { id: slack.team.id },
    user: { id: dana.id, team_id: slack.team.id },
    channel: { id: slack.posts[0]!.channel },
    message: { ts: slack.posts[0]!.ts },
    actions: [{ action_id: "claim", value: id }],
  };
  const actions = async () => {
    const { body } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
    return body.map(({ action }) => action).filter((action) => ["claimed", "released"].includes(action));
  };
  /** Returns the actions once there are so many: on a busy machine, a press is answered before it has been handled. */
  const firstActions = async (count: number) => {
    for (;;) {
      const all = await actions();
      if (all.length >= count) return all;
    }
  };
  const answers = await Promise.all(Array.from({ length: 10 }, async () => slack.send(payload)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.deepEqual(await firstActions(1), ["claimed"]);
  await service.call("POST", `/api/tasks/${id}/release`);
  const seconds = Math.floor(service.clock.now() / 1000);
  service.clock.advance(299 * SECOND);
  const repeated = await slack.send(payload, { seconds });
  assert.deepEqual([repeated.status, repeated.body], [200, "{}"]);
  assert.deepEqual(await actions(), ["claimed", "released"]);
  // What Slack itself sends again has a time of its own.
  assert.equal((await slack.send(payload)).status, 200);
  assert.deepEqual(await firstActions(3), ["claimed", "released", "claimed"]);
});

testWithSlack(
  "what Slack refuses is tried again when it may pass, and told when it does not",
  async ({ service, slack, send }) => {
    const lost = await service.create({ notify: ["slack:#nowhere"] });
    await send();
    const [entry] = await told(service, lost.id);
    assert.equal(entry?.action, "notification_failed");
    assert.match(entry?.error ?? "", /^channel_not_found: /);

    slack.limit("chat.postMessage", 1, 90);
    const { id } = await service.create({ notify: ["slack:#approvals"] });
    await send();
    service.clock.advance(80 * SECOND);
    await send();
    assert.deepEqual(await told(service, id), []);
    service.clock.advance(10 * SECOND);
    await send();
    assert.deepEqual(
      (await told(service, id)).map(({ action }) => action),
      ["notification_sent"],
    );
  },
);

testWithSlack(
  "a message is posted once, however often its task changes while it is being posted",
  async ({ service, slack, send }) => {
    slack.refuse("chat.postMessage", 1, "internal_error");
    const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
    await send();
    assert.equal(slack.posts.length, 0);
    await Promise.all([
      service.ctx.deliveries.turn(),
      service.call("POST", `/api/tasks/${id}/assign`, { body: { email: "lee@example.com" } }),
    ]);
    service.clock.advance(MINUTE);
    await send();
    await send();
    assert.equal(slack.posts.length, 1);
    assert.match(said(slack.posts[0]!), /lee@example\.com/);
  },
);

testWithSlack(
  "nothing of a redacted payload is in Slack, and such a task is answered in the browser",
  async ({ service, slack, send }) => {
    await service.create({
      response_schema: SIMPLE,
      payload: { secret: "hunter2" },
      payload_schema: {},
      redact_payload: true,
      notify: ["slack:#approvals"],
    });
    await send();
    const [post] = slack.posts;
    assert.doesNotMatch(JSON.stringify(slack.calls), /hunter2/);
    assert.match(said(post!), /Open in browser to answer/);
    assert.deepEqual(
      liveButtons(post!).filter((id) => id !== "claim"),
      ["answer:browser"],
    );
  },
);

testWithSlack("nothing that an agent writes pings anybody or becomes a link", async ({ service, slack, send }) => {
  const evil = "<!channel> <@U12345678> <http://evil.example|here> @here & *bold*";
  await service.create({
    task: evil,
    payload: { [evil]: evil },
    payload_schema: {},
    response_schema: SIMPLE,
    notify: ["slack:#approvals"],
  });
  await send();
  const [post] = slack.posts;
  assert.doesNotMatch(JSON.stringify(post!.blocks), /<!channel>|<@U1|<http:\/\/evil/);
  assert.deepEqual(slack.failures, []);
});
