import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "./check.ts";
import {
  actions,
  button,
  call,
  type Got,
  input,
  modal,
  opened,
  option,
  options,
  plain,
  posted,
  section,
  start,
  startApp,
  times,
} from "./fixtures.ts";
import type { Entry } from "./inputs.ts";

void test("a view holds no more than the vendor lets it", async (t) => {
  const slack = await start(t);
  await startApp(t, slack, async () => "");
  const { user, post } = await posted(slack, [actions(button())]);
  const open = async (view: Json) => {
    const { payload } = await slack.click({ user, post, action_id: "go" });
    const answer = await call(slack, "views.open", { trigger_id: payload?.trigger_id, view });
    return answer.ok === true ? null : ((answer.response_metadata as Json | undefined)?.messages ?? answer.error);
  };
  const x = (size: number) => "x".repeat(size);
  const limits: Array<[string, (n: number) => Json, number, string]> = [
    ["title", (n) => ({ title: plain(x(n)) }), 24, "/title/text"],
    ["submit", (n) => ({ submit: plain(x(n)) }), 24, "/submit/text"],
    ["close", (n) => ({ close: plain(x(n)) }), 24, "/close/text"],
    ["private_metadata", (n) => ({ private_metadata: x(n) }), 3000, "/private_metadata"],
    ["callback_id", (n) => ({ callback_id: x(n) }), 255, "/callback_id"],
    ["external_id", (n) => ({ external_id: x(n) }), 255, "/external_id"],
  ];
  for (const [what, fields, max, pointer] of limits) {
    assert.equal(await open(modal([section()], fields(max))), null, what);
    assert.deepEqual(await open(modal([section()], fields(max + 1))), [
      `[ERROR] must be less than ${max + 1} characters [json-pointer:/view${pointer}]`,
    ]);
  }
  assert.equal(await open(modal(times(100, () => section()))), null);
  assert.deepEqual(await open(modal(times(101, () => section()))), [
    "[ERROR] no more than 100 items allowed [json-pointer:/view/blocks]",
  ]);
  const { submit: _, ...unsendable } = modal([input({ type: "plain_text_input" })]);
  assert.deepEqual(await open(unsendable), ["[ERROR] missing required field: submit [json-pointer:/view]"]);
  assert.deepEqual(await open(modal([section()], { hash: "1.2" })), [
    "[ERROR] invalid additional property: hash [json-pointer:/view]",
  ]);
  const long = () => section({ text: plain(x(2600)) });
  assert.equal(await open(modal(times(100, long))), "view_too_large");
  assert.equal(await open(modal([section()], { external_id: "task" })), null);
  assert.equal(await open(modal([section()], { external_id: "task" })), "duplicate_external_id");
});

void test("a view is updated by id, and not over somebody else's update", async (t) => {
  const { slack, view } = await opened(t, modal([section()], { external_id: "task-1" }));
  const update = async (args: Json, title = "Checking") =>
    call(slack, "views.update", { view: modal([section()], { title: plain(title), external_id: "task-1" }), ...args });
  const { hash } = view;
  assert.equal((await update({ view_id: view.id, hash })).ok, true);
  assert.equal((await update({ view_id: view.id, hash })).error, "hash_conflict");
  assert.equal((await update({ external_id: "task-1" }, "Done")).ok, true);
  assert.equal(view.title.text, "Done");
  assert.equal((await update({ view_id: "V000" })).error, "not_found");
});

const fields: Array<[element: Json, entry: Entry, state: Json, empty: Json]> = [
  [{ type: "plain_text_input" }, "late", { value: "late" }, { value: null }],
  [{ type: "email_text_input" }, "kim@example.com", { value: "kim@example.com" }, { value: null }],
  [{ type: "url_text_input" }, "https://a.example", { value: "https://a.example" }, { value: null }],
  [{ type: "number_input", is_decimal_allowed: true }, "12.5", { value: "12.5" }, { value: null }],
  [{ type: "radio_buttons", options: options(2) }, "1", { selected_option: option(1) }, { selected_option: null }],
  [{ type: "static_select", options: options(2) }, "0", { selected_option: option(0) }, { selected_option: null }],
  [
    { type: "static_select", option_groups: [{ label: plain("A"), options: options(2) }] },
    "1",
    { selected_option: option(1) },
    { selected_option: null },
  ],
  [
    { type: "checkboxes", options: options(3) },
    ["2", "0"],
    { selected_options: [option(0), option(2)] },
    { selected_options: [] },
  ],
  [
    { type: "multi_static_select", options: options(3) },
    ["1"],
    { selected_options: [option(1)] },
    { selected_options: [] },
  ],
  [{ type: "datepicker" }, "2026-02-01", { selected_date: "2026-02-01" }, { selected_date: null }],
  [{ type: "timepicker" }, "14:30", { selected_time: "14:30" }, { selected_time: null }],
  [{ type: "datetimepicker" }, 1_770_000_000, { selected_date_time: 1_770_000_000 }, { selected_date_time: null }],
];

/** Removes the defaults of texts, which Slack adds and which do not matter here. */
const withoutEmoji = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === "emoji" ? undefined : inner)));

void test("what is entered reaches the service in the shape of its element", async (t) => {
  const blocks = fields.map(([element], n) =>
    input({ ...element, action_id: "a" }, { block_id: `b${n}`, optional: true }),
  );
  const { slack, user, view, received } = await opened(t, modal(blocks, { private_metadata: "task-1" }), async () => ({
    response_action: "errors",
    errors: { b0: "No" },
  }));
  const stateOf = (got: Got) => withoutEmoji(((got.payload.view as Json).state as Json).values);
  const typed = (shapes: Json[]) =>
    Object.fromEntries(shapes.map((shape, n) => [`b${n}`, { a: { type: fields[n]![0].type, ...shape } }]));

  await slack.submit({ user, view });
  assert.deepEqual(stateOf(received[1]!), typed(fields.map(([, , , empty]) => empty)));
  await slack.submit({ user, view, values: Object.fromEntries(fields.map(([, entry], n) => [`b${n}`, { a: entry }])) });
  assert.deepEqual(stateOf(received[2]!), typed(fields.map(([, , state]) => state)));

  const { type, user: sender, view: sent, response_urls } = received[2]!.payload;
  assert.deepEqual([type, response_urls, (sender as Json).team_id], ["view_submission", [], slack.team.id]);
  const { id, hash, private_metadata, root_view_id, previous_view_id, team_id } = sent as Json;
  assert.deepEqual(
    [id, hash, private_metadata, root_view_id, previous_view_id, team_id],
    [view.id, view.hash, "task-1", view.id, null, slack.team.id],
  );
  await assert.rejects(slack.submit({ user, view, values: { b4: { a: "7" } } }), /no option 7/);
  await assert.rejects(slack.submit({ user, view, values: { b7: { a: ["9"] } } }), /no option 9/);
  await assert.rejects(slack.submit({ user, view, values: { b0: { a: 7 } } }), /cannot be entered/);
  const kim = slack.addUser({ name: "Kim" });
  await assert.rejects(slack.submit({ user: kim, view }), /Kim does not have this view/);
});

void test("the vendor's own client sends nothing that breaks a rule of the form", async (t) => {
  const number = { type: "number_input", is_decimal_allowed: false, min_value: "1", max_value: "10" };
  const cases: Array<[Json, Entry, string | null]> = [
    [{ type: "plain_text_input" }, "", "empty"],
    [{ type: "plain_text_input", min_length: 3 }, "ab", "too short"],
    [{ type: "plain_text_input", max_length: 3 }, "abcd", "too long"],
    [{ type: "plain_text_input" }, "x".repeat(3001), "too long"],
    [{ type: "plain_text_input", min_length: 3, max_length: 3 }, "abc", null],
    [{ type: "email_text_input" }, "kim", "not an email"],
    [{ type: "url_text_input" }, "kim", "not a url"],
    [number, "1.5", "not a number"],
    [{ ...number, is_decimal_allowed: true }, "1.5", null],
    [number, "x", "not a number"],
    [number, "11", "out of range"],
    [number, "0", "out of range"],
    [{ type: "checkboxes", options: options(2) }, [], "empty"],
    [{ type: "multi_static_select", options: options(2), max_selected_items: 1 }, ["0", "1"], "too many"],
    [{ type: "radio_buttons", options: options(2) }, null, "empty"],
    [{ type: "datepicker" }, null, "empty"],
  ];
  for (const [element, entry, why] of cases) {
    const view = modal([input({ ...element, action_id: "a" }, { block_id: "b" })]);
    const form = await opened(t, view);
    const { blocked, payload } = await form.slack.submit({ ...form, values: { b: { a: entry } } });
    assert.deepEqual(blocked, why === null ? [] : [{ block_id: "b", why }], JSON.stringify([element, entry]));
    assert.equal(payload === null, why !== null);
    assert.equal(form.received.length, why === null ? 2 : 1);
  }
});

void test("only inputs must be filled in, and a view without a button cannot be submitted", async (t) => {
  const menu = { type: "static_select", action_id: "a", options: options(2) };
  const form = await opened(
    t,
    modal([section({ block_id: "s", accessory: menu }), { ...actions(menu), block_id: "c" }]),
  );
  const { blocked, payload } = await form.slack.submit(form);
  assert.deepEqual(blocked, []);
  assert.deepEqual((payload as { view: { state: Json } } | null)?.view.state.values, {
    s: { a: { type: "static_select", selected_option: null } },
    c: { a: { type: "static_select", selected_option: null } },
  });
  const { submit: _, ...unsendable } = modal([section()]);
  await assert.rejects(async () => {
    const { slack, user, view } = await opened(t, unsendable);
    return slack.submit({ user, view });
  }, /no button to submit/);
});

void test("a submission is answered as the vendor understands it", async (t) => {
  const form = modal([
    input({ type: "plain_text_input", action_id: "a", initial_value: "late" }, { block_id: "b" }),
    section({ block_id: "s" }),
  ]);
  const answered = async (answer: Json | string) => {
    const { slack, user, view } = await opened(t, form, async () => answer);
    const { failure, errors } = await slack.submit({ user, view });
    return { slack, failure, errors, open: slack.views.map(({ title }) => title.text) };
  };
  assert.deepEqual((await answered("")).open, []);
  assert.deepEqual((await answered({ response_action: "clear" })).open, []);
  assert.deepEqual((await answered({ response_action: "errors", errors: { b: "Say why" } })).errors, { b: "Say why" });
  const next = modal([section()], { title: plain("Done") });
  assert.deepEqual((await answered({ response_action: "update", view: next })).open, ["Done"]);
  assert.deepEqual((await answered({ response_action: "push", view: next })).open, ["Refund", "Done"]);

  const faults: Array<[Json | string, RegExp]> = [
    ["ok", /not JSON/],
    ["[]", /not an object/],
    [{ response_action: "close" }, /response_action close/],
    [{ response_action: "errors", errors: { nothing: "Say why" } }, /nothing, which is no input block/],
    [{ response_action: "errors", errors: { s: "Say why" } }, /s, which is no input block/],
    [{ response_action: "errors", errors: {} }, /named none/],
    [{ response_action: "errors", errors: { b: "" } }, /without text/],
    [{ response_action: "update", view: modal([section()], { title: plain("x".repeat(25)) }) }, /invalid_arguments/],
  ];
  for (const [answer, message] of faults) {
    const { slack, failure, open } = await answered(answer);
    assert.match(failure ?? "", message);
    assert.deepEqual(open, ["Refund"], "the view stays");
    assert.equal(slack.failures[0]?.at, "view_submission");
  }
});

void test("what a service said about a field goes with the next submission", async (t) => {
  let answer: Json | number = { response_action: "errors", errors: { b: "Say why" } };
  const field = input({ type: "plain_text_input", action_id: "a", initial_value: "late" }, { block_id: "b" });
  const { slack, user, view } = await opened(t, modal([field]), async () => answer);
  await slack.submit({ user, view });
  assert.deepEqual(view.errors, { b: "Say why" });
  answer = 500;
  await slack.submit({ user, view });
  assert.deepEqual(view.errors, {});
});

void test("three views stand on each other and no more, and only the top one is used", async (t) => {
  let answer: Json = { response_action: "push", view: modal([section()], { title: plain("Next") }) };
  const { slack, user, view, received } = await opened(t, modal([section()]), async () => answer);
  await slack.submit({ user, view });
  await assert.rejects(slack.submit({ user, view }), /not have this view on the screen/);
  await slack.submit({ user, view: slack.views[1]! });
  assert.deepEqual(
    slack.views.map(({ previous_view_id }) => previous_view_id),
    [null, slack.views[0]?.id, slack.views[1]?.id],
  );
  assert.equal((await slack.submit({ user, view: slack.views[2]! })).failure, "push_limit_reached");
  await slack.dismiss({ user, view: slack.views[2]! });
  assert.equal(slack.views.length, 2);
  assert.equal(received.length, 4, "one that does not ask is not told of it");
  answer = { response_action: "clear" };
  await slack.submit({ user, view: slack.views[1]! });
  assert.deepEqual(slack.views, [], "clear closes all of them");
});

void test("a field that decides tells the service at once, and what else was entered stays", async (t) => {
  const kind = { type: "radio_buttons", action_id: "kind", options: options(2) };
  const note = input({ type: "plain_text_input", action_id: "note" }, { block_id: "n", optional: true });
  const deciding = input(kind, { block_id: "k", dispatch_action: true });
  const { slack, user, view, received } = await opened(t, modal([deciding, note]));
  await slack.clickInView({ user, view, action_id: "note", entry: "late" });
  assert.equal(received.length, 1, "an input is silent without dispatch_action");
  await slack.clickInView({ user, view, action_id: "kind", entry: "1" });
  const { container, actions: taken, view: sent, message, response_url } = received[1]!.payload;
  assert.deepEqual([container, message, response_url], [{ type: "view", view_id: view.id }, undefined, undefined]);
  const [{ type, selected_option, block_id }] = taken as [Json];
  assert.deepEqual([type, (selected_option as Json).value, block_id], ["radio_buttons", "1", "k"]);
  assert.equal((((sent as Json).state as Json).values as Record<string, Record<string, Json>>).n?.note?.value, "late");

  await call(slack, "views.update", { view_id: view.id, hash: view.hash, view: modal([deciding, section(), note]) });
  assert.equal(view.state.n?.note?.value, "late");
  await call(slack, "views.update", {
    view_id: view.id,
    view: modal([input({ type: "datepicker", action_id: "note" }, { block_id: "n" })]),
  });
  assert.deepEqual(view.state, { n: { note: { type: "datepicker", selected_date: null } } });
});

void test("closing a view is told to a service that asked for it", async (t) => {
  const { slack, user, view, received } = await opened(t, modal([section()], { notify_on_close: true }));
  await slack.dismiss({ user, view });
  const { type, is_cleared, view: closed } = received[1]!.payload;
  assert.deepEqual([type, is_cleared, (closed as Json).id], ["view_closed", false, view.id]);
  assert.deepEqual(slack.views, []);
});
