import assert from "node:assert/strict";
import { test } from "node:test";
import type { Slack } from "../slack.ts";
import type { Json } from "./check.ts";
import { actions, button, call, confirm, input, option, options, plain, section, start, times } from "./fixtures.ts";

/** Posts blocks to a channel and returns the errors with their places; empty if the message is accepted. */
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

/** The largest allowed size, the smallest refused size, and Slack's error for it. */
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
const image = (fields: Json) => ({ type: "image", image_url: "https://a.example/1.png", alt_text: "x", ...fields });
const group = (of: Json[]) => ({ label: plain("Group"), options: of });

testLimits("a block holds no more than the vendor lets it", [
  ["section text", (n) => section({ text: plain(x(n)) }), 3000, "/text/text"],
  ["section field", (n) => section({ fields: [plain(x(n))] }), 2000, "/fields/0/text"],
  ["section fields", (n) => section({ fields: times(n, () => plain("x")) }), 10, "/fields", items(10)],
  ["header", (n) => ({ type: "header", text: plain(x(n)) }), 150, "/text/text"],
  ["context", (n) => ({ type: "context", elements: times(n, () => plain("x")) }), 10, "/elements", items(10)],
  ["actions", (n) => actions(...times(n, (i) => button({ action_id: String(i) }))), 25, "/elements", items(25)],
  ["alt_text", (n) => image({ alt_text: x(n) }), 2000, "/alt_text"],
  ["image title", (n) => image({ title: plain(x(n)) }), 2000, "/title/text"],
  ["block_id", (n) => section({ block_id: x(n) }), 255, "/block_id"],
  ["label", (n) => input({ type: "plain_text_input" }, { label: plain(x(n)) }), 2000, "/label/text"],
  ["hint", (n) => input({ type: "plain_text_input" }, { hint: plain(x(n)) }), 2000, "/hint/text"],
]);

testLimits("a button holds no more than the vendor lets it", [
  ["text", (n) => actions(button({ text: plain(x(n)) })), 75, "/elements/0/text/text"],
  ["value", (n) => actions(button({ value: x(n) })), 2000, "/elements/0/value"],
  ["accessibility_label", (n) => actions(button({ accessibility_label: x(n) })), 75, "/elements/0/accessibility_label"],
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
  [
    "options of a group",
    (n) => choice("static_select", { option_groups: [group(options(n))] }),
    100,
    "/element/option_groups/0/options",
    items(100),
  ],
  [
    "groups",
    (n) => choice("static_select", { option_groups: times(n, (i) => group([option(i)])) }),
    100,
    "/element/option_groups",
    items(100),
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

void test("what contradicts itself is refused", async (t) => {
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
    [
      [choice("multi_static_select", { options: options(2), initial_options: options(2), max_selected_items: 1 })],
      "more initial options than may be selected [json-pointer:/blocks/0/element]",
    ],
    [
      [choice("plain_text_input", { min_length: 2, max_length: 1 })],
      "min_length is more than max_length [json-pointer:/blocks/0/element]",
    ],
    [
      [choice("number_input", { is_decimal_allowed: true, min_value: "2", max_value: "1.5" })],
      "min_value is more than max_value [json-pointer:/blocks/0/element]",
    ],
    [
      [choice("datetimepicker", { initial_date_time: 1_770_000_000_000 })],
      "must provide an integer from 1000000000 to 9999999999 [json-pointer:/blocks/0/element/initial_date_time]",
    ],
  ];
  for (const [blocks, message] of cases) assert.deepEqual(await wrongIn(slack, blocks), [message]);
  assert.deepEqual(await wrongIn(slack, [actions(button()), actions(button())]), []);
});
