import assert from "node:assert/strict";
import { after } from "node:test";
import { EMBED_ENV, mint, newServiceKey } from "../../test/support/embed.ts";
import { addUser } from "../../test/support/people.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { said, testWithSlack } from "../../test/support/slack-service.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { startSmtp } from "../../test/support/smtp.ts";
import { createLink } from "./email/links.ts";

/*
 * The delivery engine runs in these tests. Each holds one response back, and lets another request through to show that the
 * engine sends what may be sent. (spec: Create a task, Complete a task)
 */

const DANA = "dana@example.com";
const YES = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };
const HELD = { "x-request-id": "held" };
const env = { SERVICE_CALLBACK_ALLOW_PRIVATE: "1" };

const hook = await startReceiver();
after(() => hook.close());

/** Holds the response to each request that `isHeld` picks, once it is ready, until `release` is called. */
function holdResponse({ app }: TestService, isHeld: (request: { id: string; url: string }) => boolean) {
  const ready = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  app.addHook("onSend", async (request) => {
    if (!isHeld(request)) return;
    ready.resolve();
    await released.promise;
  });
  return { ready: ready.promise, release: () => released.resolve() };
}

/** Sends everything that is due now. */
async function sendDue({ ctx }: TestService): Promise<void> {
  await ctx.deliveries.turn();
  await ctx.deliveries.settle();
}

/** The callback of another task comes through while the response is held; that of task `id` comes after its release. */
async function callbackComesAfter(
  service: TestService,
  id: string,
  { ready, release }: ReturnType<typeof holdResponse>,
  answer: () => Promise<unknown>,
): Promise<void> {
  const received = () => hook.received.map(({ task_id }) => task_id);
  const other = await service.create({ callback_url: hook.url });
  const before = hook.received.length;
  service.ctx.deliveries.start();
  const answered = answer();
  await ready;
  await service.call("POST", `/api/tasks/${other.id}/cancel`);
  await hook.until(before + 1);
  await sendDue(service);
  assert.deepEqual(received().slice(before), [other.id]);
  release();
  await hook.until(before + 2);
  assert.deepEqual(received().slice(before), [other.id, id]);
  await answered;
}

testOnBoth("a mail about a new task is sent after the response to its creation", async (service, t) => {
  const { ready, release } = holdResponse(service, ({ id }) => id === "held");
  const smtp = await startSmtp();
  t.after(() => smtp.close());
  const transport_config = { host: smtp.host, port: smtp.port };
  await service.call("POST", "/api/channels/email/identities", {
    body: { id: "desk", display_name: "Desk", from_email: "desk@example.com", transport: "smtp", transport_config },
  });
  const create = (address: string, headers = {}) =>
    service.call("POST", "/api/tasks", { body: newTaskBody({ notify: [`email:${address}`] }), headers });
  service.ctx.deliveries.start();
  const created = create(DANA, HELD);
  await ready;
  await create("lee@example.com");
  await smtp.to("lee@example.com");
  await sendDue(service);
  assert.deepEqual(
    smtp.received.map(({ to }) => to),
    [["lee@example.com"]],
  );
  release();
  await smtp.to(DANA);
  assert.equal((await created).status, 201);
});

testWithSlack("a Slack message about a new task is posted after the response to its creation", async (stage) => {
  const { service, slack } = stage;
  const { ready, release } = holdResponse(service, ({ id }) => id === "held");
  slack.addChannel({ name: "later" });
  const create = (task: string, channel: string, headers = {}) =>
    service.call("POST", "/api/tasks", { body: newTaskBody({ task, notify: [`slack:${channel}`] }), headers });
  service.ctx.deliveries.start();
  const created = create("The held one?", "#approvals", HELD);
  await ready;
  await create("The other one?", "#later");
  await slack.until(() => slack.posts.length > 0);
  await sendDue(service);
  assert.equal(slack.posts.length, 1);
  assert.match(said(slack.posts[0]!), /The other one\?/);
  release();
  await slack.until(() => slack.posts.length > 1);
  assert.match(said(slack.posts[1]!), /The held one\?/);
  assert.equal((await created).status, 201);
});

testOnBoth(
  "the callback of an answer over the API is posted after the response",
  async (service) => {
    const held = holdResponse(service, ({ id }) => id === "held");
    const { id } = await service.create({ callback_url: hook.url });
    await callbackComesAfter(service, id, held, () =>
      service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } }, headers: HELD }),
    );
  },
  { env },
);

testOnBoth(
  "the callback of an answer by mail is posted after the page that confirms it",
  async (service) => {
    const held = holdResponse(service, ({ id }) => id === "held");
    const { id } = await service.create({ callback_url: hook.url, notify: [`email:${DANA}`] });
    const path = new URL(createLink(service.ctx, id, DANA)).pathname;
    const { text } = await service.call("GET", path, { token: null });
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const fields = hidden.map(([, name = "", value = ""]): [string, string] => [name, value]);
    await callbackComesAfter(service, id, held, async () => {
      const page = await service.call("POST", path, {
        token: null,
        raw: new URLSearchParams([...fields, ["/approved", "true"]]).toString(),
        headers: { ...HELD, "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
      });
      assert.match(page.text, /Answer sent/);
    });
  },
  { env },
);

testWithSlack(
  "the callback of an answer in Slack is posted after Slack has its response",
  async ({ service, slack, send }) => {
    const held = holdResponse(service, ({ url }) => url === "/api/channels/slack/interactions");
    await addUser(service, { email: DANA });
    const dana = slack.addUser({ name: "dana", email: DANA });
    const { id } = await service.create({
      callback_url: hook.url,
      response_schema: YES,
      notify: ["slack:#approvals"],
    });
    await send();
    const post = slack.posts[0]!;
    await callbackComesAfter(service, id, held, () =>
      slack.click({ user: dana, post, action_id: "answer:choose:0", confirm: true }),
    );
  },
  { env },
);

testOnBoth(
  "the callback of an answer in an embedded form is posted after the response",
  async (service) => {
    const held = holdResponse(service, ({ id }) => id === "held");
    const { key } = await newServiceKey(service);
    const { id } = await service.create({ callback_url: hook.url });
    const { embed_token } = (await mint(service, key, { task_id: id })).body;
    await callbackComesAfter(service, id, held, () =>
      service.call("POST", "/api/embed/task/complete", {
        token: embed_token,
        body: { response: { approved: true } },
        headers: HELD,
      }),
    );
  },
  { env: { ...env, ...EMBED_ENV } },
);
