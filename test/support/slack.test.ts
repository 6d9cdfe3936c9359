import assert from "node:assert/strict";
import { test } from "node:test";
import { createClock } from "./service.ts";
import type { Slack } from "./slack.ts";
import type { Json } from "./slack/check.ts";
import {
  actions,
  button,
  call,
  confirm,
  input,
  option,
  options,
  plain,
  section,
  start,
  times,
} from "./slack/fixtures.ts";

/** Posts it to a channel and gives what is wrong, where; an empty array when it is taken. */
async function wrongIn(slack: Slack, blocks: unknown): Promise<unknown> {
  const channel = slack.addChannel({ name: "approvals" });
  const answer = await call(slack, "chat.postMessage", { channel: channel.id, text: "Decision needed", blocks });
  if (answer.ok === true) return [];
  assert.equal(answer.error, "invalid_blocks", JSON.stringify(answer));
  assert.deepEqual(
    (answer.response_metadata as Json).messages,
    (answer.errors as string[]).map((message) => `[ERROR] ${message}`),
  );
  return answer.errors;
}

/** What is just allowed, what is just not, and what the vendor says of it. */
type Limit = [name: string, make: (size: number) => Json, max: number, pointer: string, message?: string];

const chars = (max: number) => `must be less than ${max + 1} characters`;
const items = (max: number) => `no more than ${max} items allowed`;

function testLimits(name: string, limits: Limit[]): void {
  void test(name, async (t) => {
    const slack = await start(t);
    for (const [what, make, max, pointer, message = chars(max)] of limits) {
      assert.deepEqual(await wrongIn(slack, [make(max)]), [], `${what} of ${max}`);
      assert.deepEqual(
        await wrongIn(slack, [make(max + 1)]),
        [`${message} [json-pointer:/blocks/0${pointer}]`],
        `${what} of ${max + 1}`,
      );
    }
  });
}

const x = (size: number) => "x".repeat(size);

testLimits("a block holds no more than the vendor lets it", [
  ["section text", (n) => section({ text: plain(x(n)) }), 3000, "/text/text"],
  ["section field", (n) => section({ fields: [plain(x(n))] }), 2000, "/fields/0/text"],
  ["section fields", (n) => section({ fields: times(n, () => plain("x")) }), 10, "/fields", items(10)],
  ["header", (n) => ({ type: "header", text: plain(x(n)) }), 150, "/text/text"],
  ["context", (n) => ({ type: "context", elements: times(n, () => plain("x")) }), 10, "/elements", items(10)],
  ["actions", (n) => actions(...times(n, (i) => button({ action_id: String(i) }))), 25, "/elements", items(25)],
  ["block_id", (n) => section({ block_id: x(n) }), 255, "/block_id"],
  ["label", (n) => input({ type: "plain_text_input" }, { label: plain(x(n)) }), 2000, "/label/text"],
  ["hint", (n) => input({ type: "plain_text_input" }, { hint: plain(x(n)) }), 2000, "/hint/text"],
]);

testLimits("a button holds no more than the vendor lets it", [
  ["text", (n) => actions(button({ text: plain(x(n)) })), 75, "/elements/0/text/text"],
  ["value", (n) => actions(button({ value: x(n) })), 2000, "/elements/0/value"],
  ["action_id", (n) => actions(button({ action_id: x(n) })), 255, "/elements/0/action_id"],
  ["url", (n) => actions(button({ url: `https://a.example/${x(n - 18)}` })), 3000, "/elements/0/url"],
  [
    "confirm title",
    (n) => actions(button({ confirm: confirm({ title: plain(x(n)) }) })),
    100,
    "/elements/0/confirm/title/text",
  ],
  [
    "confirm text",
    (n) => actions(button({ confirm: confirm({ text: plain(x(n)) }) })),
    300,
    "/elements/0/confirm/text/text",
  ],
  [
    "confirm",
    (n) => actions(button({ confirm: confirm({ confirm: plain(x(n)) }) })),
    30,
    "/elements/0/confirm/confirm/text",
  ],
  ["deny", (n) => actions(button({ confirm: confirm({ deny: plain(x(n)) }) })), 30, "/elements/0/confirm/deny/text"],
]);

const choice = (type: string, fields: Json) => input({ type, ...fields });

testLimits("a choice holds no more than the vendor lets it", [
  ["radio_buttons", (n) => choice("radio_buttons", { options: options(n) }), 10, "/element/options", items(10)],
  ["checkboxes", (n) => choice("checkboxes", { options: options(n) }), 10, "/element/options", items(10)],
  ["static_select", (n) => choice("static_select", { options: options(n) }), 100, "/element/options", items(100)],
  [
    "multi_static_select",
    (n) => choice("multi_static_select", { options: options(n) }),
    100,
    "/element/options",
    items(100),
  ],
  [
    "option text",
    (n) => choice("static_select", { options: [option(1, { text: plain(x(n)) })] }),
    75,
    "/element/options/0/text/text",
  ],
  [
    "option value",
    (n) => choice("static_select", { options: [option(1, { value: x(n) })] }),
    150,
    "/element/options/0/value",
  ],
  [
    "option description",
    (n) => choice("radio_buttons", { options: [option(1, { description: plain(x(n)) })] }),
    75,
    "/element/options/0/description/text",
  ],
  [
    "group label",
    (n) => choice("static_select", { option_groups: [{ label: plain(x(n)), options: options(1) }] }),
    75,
    "/element/option_groups/0/label/text",
  ],
  [
    "placeholder",
    (n) => choice("static_select", { options: options(1), placeholder: plain(x(n)) }),
    150,
    "/element/placeholder/text",
  ],
]);

testLimits("a text field asks for no more than the vendor lets it", [
  [
    "max_length",
    (n) => choice("plain_text_input", { max_length: n }),
    3000,
    "/element/max_length",
    "must provide an integer from 1 to 3000",
  ],
  [
    "min_length",
    (n) => choice("plain_text_input", { min_length: n }),
    3000,
    "/element/min_length",
    "must provide an integer from 0 to 3000",
  ],
  ["initial_value", (n) => choice("plain_text_input", { initial_value: x(n) }), 3000, "/element/initial_value"],
]);

void test("a message has 50 blocks, 40,000 characters, and something to say", async (t) => {
  const slack = await start(t);
  assert.deepEqual(
    await wrongIn(
      slack,
      times(50, () => section()),
    ),
    [],
  );
  assert.deepEqual(
    await wrongIn(
      slack,
      times(51, () => section()),
    ),
    ["no more than 50 items allowed [json-pointer:/blocks]"],
  );
  const channel = slack.addChannel({ name: "finance" }).id;
  const error = async (args: Json) => (await call(slack, "chat.postMessage", { channel, ...args })).error;
  assert.equal(await error({ text: x(40_000) }), undefined);
  assert.equal(await error({ text: x(40_001) }), "msg_too_long");
  assert.equal(
    await error({ text: "Decision needed", blocks: times(5, () => section({ text: plain(x(2800)) })) }),
    "msg_blocks_too_long",
  );
  assert.equal(await error({}), "no_text");
  assert.equal(await error({ text: "Decision needed", blocks: "[{" }), "invalid_blocks_format");
});

void test("what the vendor does not know is refused by name", async (t) => {
  const slack = await start(t);
  const cases: Array<[Json, string]> = [
    [section({ color: "red" }), "invalid additional property: color [json-pointer:/blocks/0]"],
    [{ type: "button" }, "unsupported type: button [json-pointer:/blocks/0/type]"],
    [{ type: "section" }, "missing required field: text [json-pointer:/blocks/0]"],
    [
      { type: "header", text: { type: "mrkdwn", text: "*x*" } },
      "must be a valid enum value [json-pointer:/blocks/0/text/type]",
    ],
    [section({ text: plain("") }), "must be more than 0 characters [json-pointer:/blocks/0/text/text]"],
    [actions(), "no fewer than 1 items allowed [json-pointer:/blocks/0/elements]"],
    [
      actions({ type: "plain_text_input" }),
      "unsupported type: plain_text_input [json-pointer:/blocks/0/elements/0/type]",
    ],
    [actions(button({ style: "default" })), "must be a valid enum value [json-pointer:/blocks/0/elements/0/style]"],
    [actions(button({ url: "/tasks/1" })), "must provide a valid url [json-pointer:/blocks/0/elements/0/url]"],
    [
      actions(button({ confirm: { text: plain("x") } })),
      "missing required field: title [json-pointer:/blocks/0/elements/0/confirm]",
    ],
    [input(button()), "unsupported type: button [json-pointer:/blocks/0/element/type]"],
    [choice("number_input", {}), "missing required field: is_decimal_allowed [json-pointer:/blocks/0/element]"],
    [
      choice("number_input", { is_decimal_allowed: true, min_value: 1 }),
      "must provide a number as a string [json-pointer:/blocks/0/element/min_value]",
    ],
    [
      choice("datepicker", { initial_date: "1.2.2026" }),
      "must provide a date as YYYY-MM-DD [json-pointer:/blocks/0/element/initial_date]",
    ],
  ];
  for (const [block, message] of cases) assert.equal(((await wrongIn(slack, [block])) as string[])[0], message);
});

void test("ids and option values are told apart", async (t) => {
  const slack = await start(t);
  const cases: Array<[Json[], string]> = [
    [[section({ block_id: "a" }), section({ block_id: "a" })], "`block_id` already exists: a [json-pointer:/blocks]"],
    [[actions(button(), button())], "`action_id` already exists: go [json-pointer:/blocks/0]"],
    [
      [choice("radio_buttons", { options: [option(1), option(1)] })],
      "option values must be unique [json-pointer:/blocks/0/element]",
    ],
    [
      [choice("radio_buttons", { options: [option(1)], initial_option: option(2) })],
      "initial option must match one of the options [json-pointer:/blocks/0/element]",
    ],
    [
      [choice("static_select", {})],
      "must provide exactly one of options and option_groups [json-pointer:/blocks/0/element]",
    ],
    [
      times(2, () => choice("datepicker", { focus_on_load: true })),
      "only one element may have focus_on_load [json-pointer:/blocks]",
    ],
  ];
  for (const [blocks, message] of cases) assert.deepEqual(await wrongIn(slack, blocks), [message]);
  assert.deepEqual(await wrongIn(slack, [actions(button()), actions(button())]), []);
});

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
  assert.equal((await call(slack, "users.lookupByEmail", { email: "gone@example.com" })).error, "users_not_found");
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

  const hint = { channel: channel.id, user: dana.id, text: "This one is for Kim" };
  const { message_ts } = await call(slack, "chat.postEphemeral", hint);
  assert.equal(slack.posts.at(-1)?.ephemeral_to, dana.id);
  assert.equal((await change({ ts: message_ts, text: "x" })).error, "message_not_found");
  const reply = { channel: channel.id, text: "Sent back", thread_ts: ts };
  assert.equal((await call(slack, "chat.postMessage", reply)).ok, true);
  assert.equal(slack.posts.at(-1)?.thread_ts, ts);
  assert.equal((await call(slack, "chat.postMessage", { ...reply, thread_ts: "1.1" })).error, "thread_not_found");
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
});

void test("a code of the install flow gives a token, once", async (t) => {
  const slack = await start(t);
  const other = slack.addTeam("Globex");
  const redirect_uri = "https://tasks.example/api/channels/slack/oauth/callback";
  const app = { client_id: slack.clientId, client_secret: slack.clientSecret, redirect_uri };
  const exchange = async (args: Json) => call(slack, "oauth.v2.access", { ...app, ...args }, null);
  const code = other.allow(redirect_uri);
  assert.equal((await exchange({ code, client_secret: "wrong" })).error, "bad_client_secret");
  assert.equal((await exchange({ code, redirect_uri: "https://evil.example" })).error, "bad_redirect_uri");
  const { access_token, team, token_type } = await exchange({ code });
  assert.deepEqual([access_token, team, token_type], [other.token, { id: other.team.id, name: "Globex" }, "bot"]);
  assert.equal((await exchange({ code })).error, "invalid_code");
  assert.equal((await call(slack, "auth.test", {}, other.token)).team, "Globex");
});
