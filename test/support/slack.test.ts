import assert from "node:assert/strict";
import { test } from "node:test";
import { createClock } from "./service.ts";
import type { Json } from "./slack/check.ts";
import { actions, button, call, plain, section, start } from "./slack/fixtures.ts";

void test("a token opens only what it was granted", async (t) => {
  const slack = await start(t, { scopes: ["chat:write", "users:read"] });
  const dana = slack.addUser({ name: "Dana Field", email: "dana@example.com" });
  const { error, needed, provided } = await call(slack, "users.lookupByEmail", { email: "dana@example.com" });
  assert.deepEqual([error, needed, provided], ["missing_scope", "users:read.email", "chat:write,users:read"]);
  assert.equal((await call(slack, "auth.test", {}, null)).error, "not_authed");
  assert.equal((await call(slack, "auth.test", {}, "xoxb-other")).error, "invalid_auth");
  assert.equal((await call(slack, "auth.test", {}, slack.appToken)).error, "not_allowed_token_type");
  assert.equal((await call(slack, "auth.nothing", {})).error, "unknown_method");
  assert.equal((await call(slack, "auth.test", {})).team_id, slack.team.id);

  const { user } = (await call(slack, "users.info", { user: dana.id })) as { user: { profile: Json } };
  assert.equal(user.profile.email, undefined, "addresses are for users:read.email");
  slack.uninstall();
  assert.equal((await call(slack, "auth.test", {})).error, "token_revoked");
  assert.equal(slack.failures[0]?.error, "missing_scope");
});

void test("too much is answered 429 with a time to wait", async (t) => {
  const clock = createClock();
  const slack = await start(t, { now: clock.now, postRate: true });
  const channel = slack.addChannel({ name: "approvals" }).id;
  slack.limit("auth.test", 1, 30);
  const limited = await call(slack, "auth.test", {});
  assert.deepEqual([limited.status, limited.retry, limited.error], [429, "30", "ratelimited"]);
  assert.equal((await call(slack, "auth.test", {})).ok, true);
  slack.refuse("auth.test", 1, "fatal_error");
  assert.equal((await call(slack, "auth.test", {})).error, "fatal_error");
  assert.deepEqual(slack.failures, [], "what a test asked for is no failure");

  assert.equal((await call(slack, "chat.postMessage", { channel, text: "One" })).status, 200);
  assert.equal((await call(slack, "chat.postMessage", { channel, text: "Two" })).retry, "1");
  clock.advance(1000);
  assert.equal((await call(slack, "chat.postMessage", { channel, text: "Two" })).status, 200);
});

void test("a message goes where it may, and is changed in place", async (t) => {
  const slack = await start(t);
  const dana = slack.addUser({ name: "Dana Field", email: "dana@example.com" });
  const gone = slack.addUser({ name: "Gone", email: "gone@example.com", active: false });
  const channel = slack.addChannel({ name: "approvals" });
  slack.addChannel({ name: "strangers", joined: false });
  slack.addChannel({ name: "secret", joined: false, private: true });
  slack.addChannel({ name: "old", archived: true });
  const say = async (to: string) => call(slack, "chat.postMessage", { channel: to, text: "Decision needed" });

  const posted = await say("#approvals");
  assert.equal(posted.channel, channel.id);
  assert.match(String((await say(dana.id)).channel), /^D/);
  assert.equal((await say("#strangers")).error, "not_in_channel");
  assert.equal((await say("#secret")).error, "channel_not_found");
  assert.equal((await say("#old")).error, "is_archived");
  assert.equal((await say(gone.id)).error, "channel_not_found");
  slack.failures.length = 0;
  assert.equal((await call(slack, "users.lookupByEmail", { email: "gone@example.com" })).error, "users_not_found");
  assert.deepEqual(slack.failures, [], "that nobody has an address is an answer");
  assert.equal((await call(slack, "conversations.open", { users: gone.id })).error, "user_disabled");

  const { ts } = posted;
  const change = async (args: Json) => call(slack, "chat.update", { channel: channel.id, ts, ...args });
  assert.equal((await change({ blocks: [section()] })).ok, true);
  assert.equal((await change({ text: "Approved by Dana" })).ok, true);
  assert.equal((await change({ ts: "1.000001", text: "x" })).error, "message_not_found");
  assert.equal((await change({ channel: "#approvals", text: "x" })).error, "channel_not_found");
  const [post] = slack.posts;
  assert.deepEqual([post?.text, post?.blocks], ["Approved by Dana", []], "text without blocks takes them away");
  assert.deepEqual(
    post?.updates.map(({ text, blocks }) => [text, blocks.length]),
    [
      ["Decision needed", 0],
      ["Decision needed", 1],
    ],
  );

  const kim = slack.addUser({ name: "Kim", email: "Kim@Example.com" });
  const board = slack.addChannel({ name: "board", private: true, members: [kim] }).id;
  const aside = { channel: board, user: dana.id, text: "x" };
  assert.equal((await call(slack, "chat.postEphemeral", aside)).error, "user_not_in_channel");
  assert.equal((await call(slack, "users.lookupByEmail", { email: "kim@example.com" })).ok, true);

  const hint = { channel: channel.id, user: dana.id, text: "This one is for Kim" };
  const { message_ts } = await call(slack, "chat.postEphemeral", hint);
  assert.equal(slack.posts.at(-1)?.ephemeral_to, dana.id);
  assert.equal((await change({ ts: message_ts, text: "x" })).error, "message_not_found");
  const reply = { channel: channel.id, text: "Sent back", thread_ts: ts };
  assert.equal((await call(slack, "chat.postMessage", reply)).ok, true);
  assert.equal(slack.posts.at(-1)?.thread_ts, ts);
  assert.equal((await call(slack, "chat.postMessage", { ...reply, thread_ts: "1.1" })).error, "thread_not_found");
});

void test("blocks come back with ids and with every default written out", async (t) => {
  const slack = await start(t);
  const channel = slack.addChannel({ name: "approvals" }).id;
  const { action_id: _, ...nameless } = button();
  const blocks = [section({ block_id: "mine" }), actions(nameless)];
  const { message } = await call(slack, "chat.postMessage", { channel, text: "Decision needed", blocks });
  const [mine, theirs] = (message as { blocks: [Json, Json] }).blocks;
  assert.deepEqual(mine, {
    type: "section",
    block_id: "mine",
    text: { type: "mrkdwn", text: "Refund", verbatim: false },
  });
  const [element] = theirs.elements as [Json];
  assert.deepEqual(element.text, { type: "plain_text", text: "Go", emoji: true });
  assert.ok(theirs.block_id !== "" && element.action_id !== "");
});

void test("arguments come as a form or as JSON, where the method takes it", async (t) => {
  const slack = await start(t);
  const user = slack.addUser({ name: "Dana" }).id;
  const channel = slack.addChannel({ name: "approvals" }).id;
  const send = async (method: string, type: string, body: string) => {
    const headers = { authorization: `Bearer ${slack.token}`, ...(type !== "" && { "content-type": type }) };
    const response = await fetch(`${slack.apiUrl}${method}`, { method: "POST", headers, body: Buffer.from(body) });
    return (await response.json()) as Json;
  };
  const said = JSON.stringify({ channel, text: "Decision needed", blocks: [section()] });
  assert.equal((await send("chat.postMessage", "application/json; charset=utf-8", said)).ok, true);
  assert.equal((await send("users.info", "application/json", JSON.stringify({ user }))).error, "user_not_found");
  assert.equal((await send("users.info", "application/x-www-form-urlencoded", `user=${user}`)).ok, true);
  assert.equal((await send("auth.test", "application/json", "{")).error, "invalid_json");
  assert.equal((await send("auth.test", "application/json", "[]")).error, "json_not_object");
  assert.equal((await send("auth.test", "text/html", "<p>")).error, "invalid_post_type");
  assert.equal((await send("auth.test", "", "x")).error, "missing_post_type");
});

void test("whoever a message would ping is recorded", async (t) => {
  const slack = await start(t);
  const channel = slack.addChannel({ name: "approvals" }).id;
  const pinged = async (args: Json) => {
    await call(slack, "chat.postMessage", { channel, text: "Decision needed", ...args });
    return slack.posts.at(-1)?.mentions;
  };
  const mrkdwn = (text: string, fields: Json = {}) => ({
    blocks: [section({ text: { type: "mrkdwn", text, ...fields } })],
  });
  assert.deepEqual(await pinged({ text: "<!channel> and <@U123ABC>" }), ["<!channel>", "<@U123ABC>"]);
  assert.deepEqual(await pinged(mrkdwn("<!here|here> <!subteam^S12>")), ["<!here|here>", "<!subteam^S12>"]);
  assert.deepEqual(await pinged(mrkdwn("by <!date^1770000000^{date}|Monday>, a &lt;!channel&gt;")), []);
  assert.deepEqual(await pinged({ blocks: [section({ text: plain("<!channel>") })] }), [], "plain text pings nobody");
  assert.deepEqual(await pinged(mrkdwn("@channel, ask me@here.example")), ["@channel"]);
  assert.deepEqual(await pinged(mrkdwn("@channel", { verbatim: true })), []);
  assert.deepEqual(await pinged({ text: "@everyone" }), []);
  assert.deepEqual(await pinged({ text: "@everyone", parse: "full" }), ["@everyone"]);
  assert.deepEqual(await pinged({ text: "@everyone", link_names: "true" }), ["@everyone"]);

  const { ts } = slack.posts.at(-1)!;
  await call(slack, "chat.update", { channel, ts, text: "@here" });
  assert.deepEqual(slack.posts.at(-1)?.mentions, ["@here"], "an update looks for names unless told not to");
  await call(slack, "chat.update", { channel, ts, text: "@here", parse: "none" });
  assert.deepEqual(slack.posts.at(-1)?.mentions, []);
});

void test("the list of people comes in pages", async (t) => {
  const slack = await start(t);
  for (const name of ["Ann", "Ben", "Cleo"]) slack.addUser({ name });
  const page = async (args: Json) =>
    (await call(slack, "users.list", args)) as { members: Json[]; response_metadata: { next_cursor: string } };
  const first = await page({ limit: "2" });
  const second = await page({ limit: "2", cursor: first.response_metadata.next_cursor });
  assert.deepEqual(
    [first, second].map(({ members }) => members.map(({ real_name }) => real_name)),
    [["Ann", "Ben"], ["Cleo"]],
  );
  assert.equal(second.response_metadata.next_cursor, "");
  assert.equal((await call(slack, "users.list", { cursor: "nonsense" })).error, "invalid_cursor");
  assert.equal((await call(slack, "users.list", { limit: "1001" })).error, "invalid_limit");
});

void test("a code of the install flow gives a token, once", async (t) => {
  const clock = createClock();
  const slack = await start(t, { now: clock.now });
  const other = slack.addTeam("Globex");
  const redirect_uri = "https://tasks.example/api/channels/slack/oauth/callback";
  const app = { client_id: slack.clientId, client_secret: slack.clientSecret, redirect_uri };
  const exchange = async (args: Json) => call(slack, "oauth.v2.access", { ...app, ...args }, null);
  const code = other.allow(redirect_uri);
  assert.equal((await exchange({ code, client_id: "1.2" })).error, "invalid_client_id");
  assert.equal((await exchange({ code, client_secret: "wrong" })).error, "bad_client_secret");
  assert.equal((await exchange({ code, redirect_uri: "https://evil.example" })).error, "bad_redirect_uri");
  const { access_token, team, token_type } = await exchange({ code });
  assert.deepEqual([access_token, team, token_type], [other.token, { id: other.team.id, name: "Globex" }, "bot"]);
  assert.equal((await exchange({ code })).error, "invalid_code");
  assert.equal((await call(slack, "auth.test", {}, other.token)).team, "Globex");
  const late = other.allow(redirect_uri);
  clock.advance(600_001);
  assert.equal((await exchange({ code: late })).error, "invalid_code", "ten minutes");
});

void test("the page where somebody allows the app sends them back with a code, or says why it does not", async (t) => {
  const slack = await start(t, { scopes: ["chat:write"] });
  const other = slack.addTeam("Globex");
  const redirect_uri = "https://tasks.example/api/channels/slack/oauth/callback";
  slack.redirectTo("https://tasks.example/api/");
  const whole = { client_id: slack.clientId, scope: "chat:write,users:read", redirect_uri, state: "s t&te" };
  const page = async (query: Record<string, string>, pressed?: Record<string, string>) => {
    const response = await fetch(`${slack.url}/oauth/v2/authorize?${new URLSearchParams(query).toString()}`, {
      redirect: "manual",
      ...(pressed && { method: "POST", body: new URLSearchParams(pressed) }),
    });
    return { said: await response.text(), location: response.headers.get("location") };
  };
  assert.match((await page(whole)).said, /<button name="answer" value="allow">/);
  const { location } = await page(whole, { team: other.team.id, answer: "allow" });
  const back = new URL(location ?? "");
  assert.equal(back.origin + back.pathname, redirect_uri);
  assert.equal(back.searchParams.get("state"), "s t&te");
  const app = { client_id: slack.clientId, client_secret: slack.clientSecret, redirect_uri };
  const code = back.searchParams.get("code") ?? "";
  const { access_token, scope } = await call(slack, "oauth.v2.access", { ...app, code }, null);
  assert.deepEqual([access_token, scope], [other.token, "chat:write,users:read"], "what was asked for is granted");

  const cancelled = new URL((await page(whole, { answer: "cancel" })).location ?? "");
  assert.deepEqual(Object.fromEntries(cancelled.searchParams), { error: "access_denied", state: "s t&te" });

  assert.deepEqual(slack.failures, []);
  for (const [wrong, word] of [
    [{ client_id: "1.2" }, "invalid_client_id"],
    [{ scope: "" }, "no_bot_scopes_requested"],
    [{ scope: "admin:everything" }, "invalid_scope"],
    [{ redirect_uri: "https://tasks.example.evil/api/" }, "bad_redirect_uri"],
    [{ team: "T0OTHER" }, "invalid_team"],
  ] as const) {
    const refused = await page({ ...whole, ...wrong }, { team: other.team.id, answer: "allow" });
    assert.equal(refused.location, null);
    assert.match(refused.said, new RegExp(`Error: ${word}<`));
  }
  assert.equal(slack.failures.length, 5);
});
