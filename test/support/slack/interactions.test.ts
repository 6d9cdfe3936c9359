import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { fastify } from "fastify";
import { createClock } from "../service.ts";
import type { Json } from "./check.ts";
import {
  actions,
  button,
  call,
  confirm,
  input,
  modal,
  plain,
  posted,
  section,
  start,
  startApp,
  times,
} from "./fixtures.ts";

/** Returns whether this address refuses connections. */
async function refused(url: string): Promise<boolean> {
  const socket = new WebSocket(url);
  return new Promise((resolve) => {
    socket.addEventListener("open", () => resolve(false));
    socket.addEventListener("error", () => resolve(true));
  });
}

void test("a click reaches the service signed and in the vendor's shape", async (t) => {
  const clock = createClock();
  const slack = await start(t, { now: clock.now });
  const received = await startApp(t, slack, async () => "");
  const { user, post } = await posted(slack, [actions(button({ value: "yes", style: "primary" }))]);
  const { failure } = await slack.click({ user, post, action_id: "go" });
  assert.equal(failure, null);

  const { path, headers, body, payload } = received[0]!;
  assert.equal(path, "/api/channels/slack/interactions");
  assert.equal(headers["content-type"], "application/x-www-form-urlencoded");
  assert.equal(headers["x-slack-request-timestamp"], String(clock.now() / 1000));
  const base = `v0:${clock.now() / 1000}:${body}`;
  assert.equal(
    headers["x-slack-signature"],
    `v0=${createHmac("sha256", slack.signingSecret).update(base).digest("hex")}`,
  );

  const { trigger_id, response_url, actions: taken, message, ...rest } = payload;
  assert.match(String(trigger_id), /^\d+\.\d+\.[0-9a-f]+$/);
  assert.ok(String(response_url).startsWith(`${slack.url}/actions/`));
  const [{ action_ts, ...action }] = taken as [Json];
  assert.match(String(action_ts), /^\d+\.\d{6}$/);
  assert.deepEqual(action, {
    type: "button",
    action_id: "go",
    block_id: post.blocks[0]?.block_id,
    text: { type: "plain_text", text: "Go", emoji: true },
    value: "yes",
    style: "primary",
  });
  assert.equal((message as Json).ts, post.ts);
  assert.deepEqual((message as Json).blocks, post.blocks);
  assert.deepEqual(rest, {
    type: "block_actions",
    team: { id: slack.team.id, domain: "acme" },
    user: { id: user.id, username: "dana.field", name: "dana.field", team_id: slack.team.id },
    api_app_id: (message as Json).app_id,
    token: "verification-token-is-deprecated",
    enterprise: null,
    is_enterprise_install: false,
    container: { type: "message", message_ts: post.ts, channel_id: post.channel, is_ephemeral: false },
    channel: { id: post.channel, name: "approvals" },
    state: { values: {} },
  });
});

void test("a service without a port takes clicks as well", async (t) => {
  const slack = await start(t);
  const app = fastify();
  t.after(() => app.close());
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  app.post("/api/channels/slack/interactions", async () => "");
  slack.sendTo(app);
  const { user, post } = await posted(slack, [actions(button())]);
  assert.equal((await slack.click({ user, post, action_id: "go" })).failure, null);
  assert.equal((await slack.send({ type: "block_actions" }, { secret: "wrong", seconds: 1 })).status, 200);
});

void test("a dialog stands before the click until the person agrees", async (t) => {
  const slack = await start(t);
  const received = await startApp(t, slack, async () => "");
  const { user, post } = await posted(slack, [actions(button({ confirm: confirm() }), button({ action_id: "plain" }))]);
  const { asked } = await slack.click({ user, post, action_id: "go" });
  assert.equal((asked as { title: Json } | null)?.title.text, "Send this answer?");
  await slack.click({ user, post, action_id: "go", confirm: false });
  assert.deepEqual(received, []);
  await slack.click({ user, post, action_id: "go", confirm: true });
  assert.equal(received.length, 1);
  await assert.rejects(slack.click({ user, post, action_id: "plain", confirm: true }), /No dialog/);
});

void test("nobody clicks in a message that they do not see", async (t) => {
  const slack = await start(t);
  await startApp(t, slack, async () => "");
  const { user, post } = await posted(slack, [actions(button())]);
  const kim = slack.addUser({ name: "Kim" });
  const hint = { channel: post.channel, user: kim.id, text: "For you", blocks: [actions(button())] };
  await call(slack, "chat.postEphemeral", hint);
  const ephemeral = slack.posts.at(-1)!;
  await assert.rejects(slack.click({ user, post: ephemeral, action_id: "go" }), /does not see/);
  await assert.rejects(slack.click({ user, post, action_id: "other" }), /0 elements/);
  await call(slack, "chat.postMessage", { channel: kim.id, text: "For you", blocks: [actions(button())] });
  await assert.rejects(slack.click({ user, post: slack.posts.at(-1)!, action_id: "go" }), /does not see/);
  const board = slack.addChannel({ name: "board", private: true, members: [kim] }).id;
  await call(slack, "chat.postMessage", { channel: board, text: "For you", blocks: [actions(button())] });
  const inPrivate = await slack.click({ user: kim, post: slack.posts.at(-1)!, action_id: "go" });
  assert.deepEqual(inPrivate.payload?.channel, { id: board, name: "privategroup" });
  const { payload } = await slack.click({ user: kim, post: ephemeral, action_id: "go" });
  assert.equal((payload as { container: Json } | null)?.container.is_ephemeral, true);
  assert.equal(payload?.message, undefined);
});

void test("an answer that fails is seen by the person", async (t) => {
  const slack = await start(t);
  await startApp(t, slack, async () => 500);
  const { user, post } = await posted(slack, [actions(button())]);
  assert.equal((await slack.click({ user, post, action_id: "go" })).failure, "answered with status 500");
  assert.deepEqual(slack.failures, [{ at: "block_actions", error: "answered with status 500", messages: [] }]);
});

void test("an answer that does not come in time is a failure", async (t) => {
  const slack = await start(t, { ackMs: 20 });
  await startApp(t, slack, async () => null);
  const { user, post } = await posted(slack, [actions(button())]);
  assert.equal((await slack.click({ user, post, action_id: "go" })).failure, "answered too late, or not at all");
  assert.equal(slack.failures[0]?.at, "block_actions");
});

void test("a trigger opens one view, within three seconds", async (t) => {
  const clock = createClock();
  const slack = await start(t, { now: clock.now });
  await startApp(t, slack, async () => "");
  const { user, post } = await posted(slack, [actions(button())]);
  const open = async (trigger_id: unknown, view: Json = modal([section()])) =>
    call(slack, "views.open", { trigger_id, view });
  const trigger = async () => (await slack.click({ user, post, action_id: "go" })).payload?.trigger_id;

  const first = await trigger();
  assert.equal((await open("12.34.abcd")).error, "invalid_trigger_id");
  assert.equal((await open(first, modal([{ type: "nonsense" }]))).error, "invalid_arguments");
  clock.advance(3000);
  assert.equal((await open(first)).ok, true, "a refused view leaves the trigger as it was");
  assert.equal((await open(first)).error, "exchanged_trigger_id");
  const second = await trigger();
  clock.advance(3001);
  assert.equal((await open(second)).error, "expired_trigger_id");
});

void test("a response_url answers in the conversation five times within 30 minutes", async (t) => {
  const clock = createClock();
  const slack = await start(t, { now: clock.now });
  await startApp(t, slack, async () => "");
  const { user, post } = await posted(slack, [actions(button())]);
  const url = async () => String((await slack.click({ user, post, action_id: "go" })).payload?.response_url);
  const respond = async (to: string, body: Json) => {
    const answer = await fetch(to, { method: "POST", body: JSON.stringify(body) });
    return [answer.status, await answer.text()];
  };
  const [first, second] = [await url(), await url()];
  assert.deepEqual(await respond(first, { text: "This one is for Kim" }), [200, "ok"]);
  assert.equal(slack.posts.at(-1)?.ephemeral_to, user.id);
  await respond(first, { text: "Kim is on it", response_type: "in_channel" });
  assert.equal(slack.posts.at(-1)?.ephemeral_to, null);
  await respond(first, { text: "Approved", replace_original: true });
  assert.equal(post.text, "Approved");
  assert.equal((await respond(first, { text: "x", blocks: [{ type: "nonsense" }] }))[0], 400);
  await respond(first, { text: "Five" });
  assert.deepEqual(await respond(first, { text: "Six" }), [404, '{"ok":false,"error":"used_url"}']);
  clock.advance(1_800_000);
  await respond(second, { delete_original: true });
  assert.ok(!slack.posts.includes(post));
  await assert.rejects(slack.click({ user, post, action_id: "go" }), /does not see/);
  clock.advance(1);
  assert.deepEqual(await respond(second, { text: "x" }), [404, '{"ok":false,"error":"expired_url"}']);
});

void test("in Socket Mode interactions come over a connection of the app, and its acknowledgment is the answer", async (t) => {
  const slack = await start(t);
  assert.equal((await call(slack, "apps.connections.open", {})).error, "not_allowed_token_type");
  assert.equal((await call(slack, "apps.connections.open", { token: slack.appToken }, null)).error, "not_authed");
  const { url } = await call(slack, "apps.connections.open", {}, slack.appToken);
  const socket = new WebSocket(String(url));
  const received: Json[] = [];
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Json;
    received.push(message);
    const { type, envelope_id, payload } = message;
    if (type !== "interactive") return;
    const errors = { response_action: "errors", errors: { b: `Not ${"x".repeat(70_000)}` } };
    const isSubmission = (payload as Json).type === "view_submission";
    socket.send(JSON.stringify({ envelope_id, ...(isSubmission && { payload: errors }) }));
  });
  await slack.until(() => slack.connections() === 1);
  assert.equal(await refused(String(url)), true, "an address is good for one connection");

  const { user, post } = await posted(slack, [actions(button({ value: "x".repeat(2000) }))]);
  const { payload } = await slack.click({ user, post, action_id: "go" });
  const field = input({ type: "plain_text_input", action_id: "a" }, { block_id: "b" });
  const long = times(30, () => section({ text: plain("x".repeat(3000)) }));
  await call(slack, "views.open", { trigger_id: payload?.trigger_id, view: modal([field, ...long]) });
  const { errors } = await slack.submit({ user, view: slack.views[0]!, values: { b: { a: "x" } } });
  assert.equal(errors.b?.length, 70_004);
  assert.deepEqual(
    received.map(({ type, accepts_response_payload }) => [type, accepts_response_payload]),
    [
      ["hello", undefined],
      ["interactive", true],
      ["interactive", true],
    ],
  );
  assert.deepEqual(received[1]?.payload, payload);

  socket.send(JSON.stringify({ envelope_id: "unheard-of" }));
  await slack.until(() => slack.failures.some(({ error }) => error === "acknowledged what was not sent"));
  const told = new Promise((resolve) => socket.addEventListener("close", resolve));
  slack.disconnect("warning");
  assert.equal(slack.connections(), 1, "a warning comes before the end");
  slack.disconnect("refresh_requested");
  await told;
  assert.equal(received.at(-1)?.reason, "refresh_requested");
  assert.match((await slack.click({ user, post, action_id: "go" })).failure ?? "", /not connected/);
});

void test("an app has ten connections and no more", async (t) => {
  const slack = await start(t);
  const address = async () => String((await call(slack, "apps.connections.open", {}, slack.appToken)).url);
  const open = await Promise.all(times(10, async () => new WebSocket(await address())));
  await slack.until(() => slack.connections() === 10);
  assert.equal(await refused(await address()), true);
  open[0]?.close();
  await slack.until(() => slack.connections() === 9);
  assert.equal(await refused(await address()), false);
});
