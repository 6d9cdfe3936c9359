import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../sdk/index.ts";
import { actionTask } from "../../test/support/actions.ts";
import { person } from "../../test/support/people.ts";
import { ADMIN_TOKEN, testOnBoth, type TestService } from "../../test/support/service.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import { takeDueSteps } from "../tasks/escalating.ts";
import { timeOutDueTasks } from "../tasks/timeouts.ts";
import { decideTask, type Ask, type DecideOptions } from "./actions.ts";
import { UsageError } from "./options.ts";
import { showTask } from "./show.ts";
import { createTask, listTasks, type CreateOptions } from "./tasks.ts";

/** Runs commands on a service, as an agent and as a person at a terminal. */
function terminal({ call }: TestService) {
  const throughService = async (url: string | URL | Request, { method = "GET", body, headers }: RequestInit = {}) => {
    const { pathname, search } = new URL(url);
    const given = new Headers(headers);
    const {
      status,
      text,
      headers: got,
    } = await call(method as "GET", pathname + search, {
      ...(body != null && { raw: body as string }),
      headers: Object.fromEntries(given),
    });
    return new Response(text, { status, headers: { "content-type": got["content-type"] ?? "" } });
  };
  const client = createClient({ baseUrl: "http://service", token: ADMIN_TOKEN, fetch: throughService });
  const run = async (
    command: (output: { result: (text: string) => void; note: (text: string) => void }) => Promise<number>,
  ) => {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await command({ result: (text) => void out.push(text), note: (text) => void err.push(text) });
    return { code, out: out.join("\n"), err: err.join("\n") };
  };
  return {
    client,
    create: async (options: CreateOptions) => {
      const command = await createTask(options);
      const { code, out } = await run(async (output) => command(client, output));
      assert.equal(code, 0);
      return out;
    },
    list: async () => {
      const command = await listTasks({});
      return (await run(async (output) => command(client, output))).out;
    },
    show: async (id: string, options: { json?: boolean } = {}) => {
      const command = await showTask(id, options);
      return (await run(async (output) => command({ client }, output))).out;
    },
    decide: async (id: string, decision: string, options: DecideOptions = {}, ask: Ask = null) => {
      const command = await decideTask(id, decision, options, ask);
      return run(async (output) => command({ client }, output));
    },
  };
}

const refund: CreateOptions = {
  action: "refund",
  description: "Pays the customer back.",
  args: '{"amount":1240,"to":{"name":"Mia"},"lines":["Jacket","Shoes"],"script":"a = 1\\nb = 2"}',
  uiSchema: '{"amount":{"ui:title":"Sum","ui:widget":"currency","ui:currency":"EUR"},"script":{"ui:widget":"code"}}',
  allowed: "approve, edit,reject,respond",
  editable: ["/amount"],
  messageRequired: "reject",
};

testOnBoth("an action is asked about, shown with all arguments, and edited", async (service) => {
  const { client, create, show, decide } = terminal(service);
  const id = await create({ ...refund, argsSchema: '{"type":"object","properties":{"amount":{"maximum":2000}}}' });
  const { task, action } = await client.get(id);
  assert.equal(task, "Pays the customer back.");
  assert.deepEqual(
    [action?.allowed, action?.editable, action?.message_required, action?.risk],
    [["approve", "edit", "reject", "respond"], ["/amount"], ["reject"], "normal"],
  );
  assert.deepEqual(action?.args_schema, { type: "object", properties: { amount: { maximum: 2000 } } });
  const shown = [
    "refund",
    "  Pays the customer back.",
    "  Sum: €1,240.00",
    "  To:",
    "    Name: Mia",
    "  Lines:",
    "    1. Jacket",
    "    2. Shoes",
    "  Script:",
    "    a = 1",
    "    b = 2",
    "  Allowed: approve, edit, reject with a message, respond",
    "  An edit may change: /amount",
  ];
  const [question, state, empty, ...rest] = (await show(id)).split("\n");
  assert.deepEqual([question, empty, rest], ["Pays the customer back.", "", shown]);
  assert.match(state!, new RegExp(`^${id}, created, asked by admin, open until 20`));
  const args = { ...action.args, amount: 45 };
  const patch = [{ op: "replace", path: "/amount", value: 45 }];
  const { code, out, err } = await decide(id, "edit", { args: JSON.stringify(args), email: "dana@example.com" });
  assert.deepEqual([code, JSON.parse(out), err], [0, { decision: "edit", args, patch }, ""]);
  const closed = await show(id);
  assert.match(closed, /^tsk_\w+, completed by dana@example\.com, asked by admin$/m);
  assert.ok(closed.endsWith([...shown, "  Decision: edit", "    replace /amount: 45"].join("\n")), closed);
  assert.deepEqual(JSON.parse(await show(id, { json: true })), JSON.parse(JSON.stringify(await client.get(id))));
});

testOnBoth("the terminal says who has approved, and shows the arguments that are up for approval", async (service) => {
  const { show, list } = terminal(service);
  const [ada, ben] = [await person(service, { display_name: "Ada" }), await person(service, { display_name: "Ben" })];
  const from = { emails: [ada, ben].map(({ user }) => user.email) };
  const actions = { action: undefined, actions: ["refund", "close"].map((name) => ({ ...actionTask().action, name })) };
  const edit = { decision: "edit", args: { amount: 45, to: { name: "Mia" } } };
  for (const [fields, response, blind, tally, name] of [
    [{}, edit, false, "1 of 2", "refund"],
    [actions, { decisions: [edit, { decision: "approve" }] }, true, "hidden, needs 2", "refund, close"],
  ] as const) {
    const body = { ...actionTask(), approvals: { need: 2, from, blind }, idempotency_key: name, ...fields };
    const { id } = (await service.call<TaskRecord>("POST", "/api/tasks", { body })).body;
    await ada.call("POST", `/api/tasks/${id}/complete`, { body: { response } });
    const shown = await show(id);
    const by = `Ada (${ada.user.email})`;
    if (blind)
      assert.match(shown, /^Approvals: 2 needed, hidden until the end, in round 2: the arguments were changed$/m);
    else
      assert.ok(
        shown.includes(`\nApprovals: 1 of 2, in round 2: the arguments were changed by ${by}\n  ${by}: edit, 20`),
        shown,
      );
    assert.equal(shown.includes("Ada"), !blind);
    assert.deepEqual(shown.match(/^ {2}Amount: \d+$/gm), blind ? ["  Amount: 45", "  Amount: 90"] : ["  Amount: 45"]);
    const row = (await list()).split("\n").find((line) => line.startsWith(id));
    assert.match(row!, new RegExp(` {2}${tally} +${name} +Approve the refund`));
  }
});

testOnBoth("each decision is sent as it was typed, and what the service refuses is said", async (service) => {
  const { client, create, decide } = terminal(service);
  for (const [n, [decision, options, answer]] of (
    [
      ["approve", {}, { decision: "approve", args: { n: 0 } }],
      ["reject", { message: "No." }, { decision: "reject", message: "No." }],
      ["respond", { message: "Ask Lee." }, { decision: "respond", message: "Ask Lee." }],
    ] as const
  ).entries()) {
    const id = await create({ ...refund, uiSchema: "{}", args: `{"n":${n}}`, editable: ["/n"] });
    assert.deepEqual(JSON.parse((await decide(id, decision, options)).out), answer);
  }
  const id = await create(refund);
  await assert.rejects(decide(id, "reject"), /VALIDATION_FAILED/);
  await assert.rejects(decide(id, "edit", { args: "{}" }), /NOT_EDITABLE.*\/response\/args\/to/s);
  assert.equal((await client.get(id)).status, "created");
});

testOnBoth("several actions are shown one by one, and decided all alike or each by itself", async (service) => {
  const { create, show, decide } = terminal(service);
  const actions = (n: number) =>
    JSON.stringify([
      { name: "close_account", args: { n }, risk: "high" },
      { name: "send_mail", args: { to: "a\u202Eb\u001B[2J" }, allowed: ["approve", "edit", "reject"] },
    ]);
  const alike = await create({ actions: actions(1) });
  const shown = await show(alike);
  assert.match(
    shown,
    /^Run 2 actions\?\n.*\n\nclose_account \(high risk\)\n {2}N: 1\n {2}Allowed: approve, reject\n\nsend_mail\n/,
  );
  assert.match(shown, /To: a\\u\{202e\}b\\u\{1b\}\[2J$/m);
  assert.deepEqual(JSON.parse((await decide(alike, "reject", { message: "No." })).out), {
    decisions: [
      { decision: "reject", message: "No." },
      { decision: "reject", message: "No." },
    ],
  });
  assert.match(await show(alike), /Decision: reject\n {2}Message: No\.\n\nsend_mail\n(.*\n)*.* Decision: reject/);
  const mixed = await create({ actions: actions(2), task: "Clean up?" });
  await assert.rejects(decide(mixed, "edit", { args: "{}" }), { name: "Error", message: /asks about 2 actions/ });
  await assert.rejects(decide(mixed, '[{"decision":"approve"}]'), /2 actions, and there are 1 decisions/);
  const list = '[{"decision":"reject"},{"decision":"edit","args":{"to":"b"}}]';
  assert.deepEqual(JSON.parse((await decide(mixed, list)).out), {
    decisions: [
      { decision: "reject" },
      { decision: "edit", args: { to: "b" }, patch: [{ op: "replace", path: "/to", value: "b" }] },
    ],
  });
});

testOnBoth("a person types the name of an action with a high risk to approve it; programs do not", async (service) => {
  const { client, create, decide } = terminal(service);
  const asked: string[] = [];
  const type = (text: string) => async (question: string) => {
    asked.push(question);
    return text;
  };
  const risky = async (n: number) => create({ action: "drop", args: `{"n":${n}}`, risk: "high" });
  const id = await risky(1);
  for (const text of ["", "y", "drops"])
    await assert.rejects(decide(id, "approve", {}, type(text)), /Nothing was decided/);
  assert.equal((await client.get(id)).status, "created");
  const { err } = await decide(id, "approve", {}, type(" Drop "));
  assert.match(err, /^drop \(high risk\)\n {2}N: 1\n/);
  assert.equal(asked.at(-1), "This action has a high risk. To approve it, type drop: ");
  assert.equal((await client.get(id)).status, "completed");
  const count = asked.length;
  for (const [n, [decision, options, ask]] of (
    [
      ["approve", { yes: true }, type("")],
      ["reject", {}, type("")],
      ["approve", {}, null],
    ] as const
  ).entries()) {
    assert.equal((await decide(await risky(n + 2), decision, options, ask)).code, 0);
    assert.equal(asked.length, count);
  }
  const normal = await create({ action: "look", args: "{}" });
  assert.equal((await decide(normal, "approve", {}, type(""))).code, 0);
  const both = await create({ actions: '[{"name":"one","args":{},"risk":"high"},{"name":"two","args":{}}]' });
  await assert.rejects(decide(both, "approve", {}, type("two")), /Nothing was decided/);
  assert.equal((await decide(both, '[{"decision":"reject"},{"decision":"approve"}]', {}, type(""))).code, 0);
});

testOnBoth("a task about something else is shown with its answer, and not decided", async (service) => {
  const { client, create, show, decide } = terminal(service);
  const id = await create({ task: "Refund?\nSoon.", payload: '{"order":"48219","pin":"1"}' });
  await assert.rejects(decide(id, "approve"), /asks about no action\. Use "tasks answer"/);
  await client.complete(id, { approved: true });
  assert.match(await show(id), /^Refund\?\nSoon\.\n.*\n\nOrder: 48219\nPIN: 1\n\nThe answer:\n {2}Approve\?: true$/);
  const payload_schema = { type: "object", properties: { pin: { type: "string", format: "password" } } };
  const secret = await service.create({ payload: { pin: "1234" }, payload_schema });
  assert.match(await show(secret.id), /\nPIN: \(confidential; --json shows it\)/);
});

const WRONG: readonly [command: () => Promise<unknown>, says: RegExp][] = [
  [async () => createTask({ action: "x", actions: "[]" }), /not both/],
  [async () => createTask({ task: "x", args: "{}" }), /--args belongs to --action/],
  [async () => createTask({ actions: "[]", risk: "high" }), /--risk belongs to --action/],
  [async () => createTask({ action: "x", payload: "{}" }), /no --payload or --schema/],
  [async () => createTask({ actions: "[]", schema: "{}" }), /no --payload or --schema/],
  [async () => createTask({ action: "x", args: "[]" }), /--args is not a JSON object/],
  [async () => createTask({ action: "x", uiSchema: "{" }), /--ui-schema is not JSON/],
  [async () => createTask({ action: "x", allowed: "approve,deny" }), /--allowed takes approve, edit, reject, respond/],
  [async () => createTask({ action: "x", risk: "low" }), /--risk takes normal, high/],
  [async () => createTask({ actions: "{}" }), /--actions is not a JSON list/],
  [async () => createTask({ actions: "[7]" }), /--actions, number 1, is not a JSON object/],
  [async () => decideTask("tsk_1", "allow", {}, null), /one of approve, edit, reject, respond, or a JSON list/],
  [async () => decideTask("tsk_1", "edit", {}, null), /edit needs --args/],
  [async () => decideTask("tsk_1", "approve", { args: "{}" }, null), /--args belongs to edit, not to approve/],
  [async () => decideTask("tsk_1", "respond", {}, null), /respond needs --message/],
  [async () => decideTask("tsk_1", "[]", { message: "x" }, null), /its own args and message/],
];
void test("a command about actions that is mistyped is a usage error", async () => {
  for (const [command, says] of WRONG)
    await assert.rejects(command, (error) => {
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, says);
      return true;
    });
});

testOnBoth("a task that no one answered in time is shown with the answer given beforehand", async (service) => {
  const { show } = terminal(service);
  const { id } = await service.create({ timeout_seconds: 60, on_timeout: { response: { approved: false } } });
  service.clock.advance(60_000);
  assert.equal(await timeOutDueTasks(service.ctx), 1);
  const [, state, ...rest] = (await show(id)).split("\n");
  assert.match(state!, /, completed with the answer given beforehand, because no one answered in time, asked by /);
  assert.ok(rest.includes("The answer:"));
});

testOnBoth(
  "the list and the view of a task say that it is urgent, and what happens while no one answers",
  async (service) => {
    const { list, show } = terminal(service);
    const { id, created_at } = await service.create({
      timeout_seconds: 3600,
      escalation: [
        { after: 60, do: "raise" },
        { after: 1800, do: "offer", to: { pool: "finance" } },
      ],
      on_timeout: { response: { approved: false } },
    });
    const at = (seconds: number) => new Date(Date.parse(created_at) + seconds * 1000).toISOString();
    assert.match(await list(), new RegExp(`^${id} +created +\\d`, "m"));
    service.clock.advance(60_000);
    assert.equal(await takeDueSteps(service.ctx), 1);
    assert.match(await list(), new RegExp(`^${id} +created, urgent +\\d`, "m"));
    const [, state, ...rest] = (await show(id)).split("\n");
    assert.match(state!, /, asked by admin, urgent, open until /);
    assert.deepEqual(rest.slice(0, 2), [
      `At ${at(1800)}: offer {"pool":"finance"}`,
      "If no one answers, this answer counts:",
    ]);
  },
);

testOnBoth("a task is created with a template or with steps, and with an answer for the deadline", async (service) => {
  const { client, create } = terminal(service);
  const asked = { task: "Release it?", timeout: "3600", onTimeout: '{"approved": false}' };
  const named = await client.get(await create({ ...asked, escalation: "standard" }));
  assert.deepEqual(
    named.escalation.map(({ do: kind }) => kind),
    ["remind", "raise", "remind"],
  );
  assert.deepEqual(named.on_timeout, { response: { approved: false } });
  const listed = await client.get(await create({ ...asked, key: "k", escalation: '[{"after": 60, "do": "raise"}]' }));
  assert.deepEqual(
    listed.escalation.map(({ do: kind }) => kind),
    ["raise"],
  );
  await assert.rejects(createTask({ ...asked, escalation: '{"after": 60}' }), UsageError);
});
