import assert from "node:assert/strict";
import { checkPlan } from "../../form/plan/check.ts";
import type { Entries } from "../../form/plan/entries.ts";
import { planForm, readForm } from "../../form/plan/plan.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { homeOf } from "../db/home.ts";
import type { JsonObject } from "../lib/json.ts";
import type { CreateTaskBody, TaskRecord } from "../tasks/schema.ts";
import type { ActionRequest } from "./schema.ts";

const args_schema = {
  type: "object",
  properties: {
    amount: { type: "number", maximum: 100 },
    to: { $ref: "#/$defs/person" },
    lines: { type: "array", items: { type: "object", properties: { text: { type: "string" } } } },
  },
  required: ["amount"],
  $defs: { person: { type: "object", properties: { name: { type: "string" } } } },
};
const args = { amount: 90, to: { name: "Mia" }, lines: [{ text: "Jacket" }, { text: "Shoes" }] };

function refund(more: Partial<ActionRequest> = {}): ActionRequest {
  return { name: "refund", args, args_schema, allowed: ["approve", "edit", "reject", "respond"], ...more };
}

function bodyOf(fields: Partial<CreateTaskBody>): CreateTaskBody {
  const { payload: _, payload_schema: _s, response_schema: _r, ...body } = newTaskBody();
  return { ...body, ...fields };
}

async function ask(service: TestService, fields: Partial<CreateTaskBody>): Promise<TaskRecord> {
  const answer = await service.call<TaskRecord>("POST", "/api/tasks", { body: bodyOf(fields) });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

const complete = (service: TestService, id: string, response: object) =>
  service.call<TaskRecord & { error_code?: string; details?: { path: string; message: string }[] }>(
    "POST",
    `/api/tasks/${id}/complete`,
    { body: { response } },
  );

async function decided(service: TestService, action: ActionRequest, response: object): Promise<unknown> {
  const { id } = await ask(service, { action });
  const { status, body, text } = await complete(service, id, response);
  assert.equal(status, 200, text);
  const { body: polled } = await service.call<{ response: unknown }>("GET", `/api/tasks/${id}/poll?timeout=0`);
  assert.deepEqual(polled.response, body.response);
  return body.response;
}

/** Returns the code, and the places that are named. */
async function refused(service: TestService, fields: Partial<CreateTaskBody>): Promise<[string, string[]]> {
  const { body } = await service.call<{ error_code: string; details?: { path: string }[] }>("POST", "/api/tasks", {
    body: bodyOf(fields),
  });
  return [body.error_code, (body.details ?? []).map(({ path }) => path)];
}

testOnBoth("a task about an action shows the action, and what it is made into", async (service) => {
  const task = await ask(service, { action: { name: "refund", args, args_schema, risk: "high" } });
  assert.deepEqual(task.action, {
    name: "refund",
    description: null,
    allowed: ["approve", "reject"],
    editable: null,
    risk: "high",
    message_required: [],
    args,
    args_schema,
    ui_schema: null,
  });
  assert.equal(task.actions, null);
  assert.deepEqual([task.payload, task.payload_schema], [args, args_schema]);
  assert.deepEqual((await service.call<TaskRecord>("GET", `/api/tasks/${task.id}`)).body, task);
  const { body: rows } = await service.call<{ id: string; action: unknown }[]>("GET", "/api/tasks?view=summary");
  assert.deepEqual(rows.find(({ id }) => id === task.id)?.action, { name: "refund", risk: "high" });
  const plain = await service.create();
  assert.deepEqual([plain.action, plain.actions], [null, null]);
  const several = await ask(service, {
    actions: [refund({ description: "x".repeat(10_000) }), { name: "log", args: {} }],
  });
  const { body: all } = await service.call<{ id: string; actions: unknown }[]>("GET", "/api/tasks");
  assert.deepEqual(all.find(({ id }) => id === several.id)?.actions, [
    { name: "refund", risk: "normal" },
    { name: "log", risk: "normal" },
  ]);
});

testOnBoth("every decision gives the arguments to run, and an edit what it changed", async (service) => {
  assert.deepEqual(await decided(service, refund(), { decision: "approve" }), { decision: "approve", args });
  assert.deepEqual(await decided(service, refund(), { decision: "approve", args, message: "Fine." }), {
    decision: "approve",
    args,
    message: "Fine.",
  });
  const lower = { ...args, amount: 45 };
  assert.deepEqual(
    await decided(service, refund(), { decision: "edit", args: lower, patch: [{ op: "remove", path: "/to" }] }),
    {
      decision: "edit",
      args: lower,
      patch: [{ op: "replace", path: "/amount", value: 45 }],
    },
  );
  assert.deepEqual(await decided(service, refund(), { decision: "edit", args }), { decision: "approve", args });
  assert.deepEqual(await decided(service, refund(), { decision: "reject" }), { decision: "reject" });
  assert.deepEqual(await decided(service, refund(), { decision: "reject", message: " " }), { decision: "reject" });
  assert.deepEqual(await decided(service, refund(), { decision: "respond", message: "Ask Finance." }), {
    decision: "respond",
    message: "Ask Finance.",
  });
});

testOnBoth("what is stored fits the response schema of the record", async (service) => {
  const { id, response_schema } = await ask(service, { action: refund() });
  const { body } = await complete(service, id, { decision: "edit", args: { amount: 1 } });
  const { response } = body;
  const again = await service.create({ response_schema });
  assert.equal((await complete(service, again.id, response!)).status, 200);
});

const REFUSED: Record<string, [action: Partial<ActionRequest>, response: object, code: string, path: string]> = {
  "a decision that is not allowed": [
    { allowed: ["reject"] },
    { decision: "approve" },
    "VALIDATION_FAILED",
    "/response/decision",
  ],
  "an edit that does not fit the schema": [
    {},
    { decision: "edit", args: { amount: 101 } },
    "VALIDATION_FAILED",
    "/response/args/amount",
  ],
  "an edit without arguments": [{}, { decision: "edit" }, "VALIDATION_FAILED", "/response"],
  "an approval of other arguments": [
    {},
    { decision: "approve", args: { amount: 1 } },
    "VALIDATION_FAILED",
    "/response/args",
  ],
  "a response without a message": [{}, { decision: "respond" }, "VALIDATION_FAILED", "/response"],
  "a response with an empty message": [
    {},
    { decision: "respond", message: " \n" },
    "VALIDATION_FAILED",
    "/response/message",
  ],
  "a rejection without the required message": [
    { message_required: ["reject"] },
    { decision: "reject" },
    "VALIDATION_FAILED",
    "/response",
  ],
  "an edit outside of what is editable": [
    { editable: ["/amount"] },
    { decision: "edit", args: { ...args, amount: 1, to: { name: "Lee" } } },
    "NOT_EDITABLE",
    "/response/args/to/name",
  ],
  "a removed argument outside of what is editable": [
    { editable: ["/amount"] },
    { decision: "edit", args: { amount: 1, to: args.to } },
    "NOT_EDITABLE",
    "/response/args/lines",
  ],
  "a removed row where one row is editable": [
    { editable: ["/lines/0"] },
    { decision: "edit", args: { ...args, lines: [args.lines[0]] } },
    "NOT_EDITABLE",
    "/response/args/lines/1",
  ],
  "an edit without a change where approving needs a message": [
    { message_required: ["approve"] },
    { decision: "edit", args },
    "VALIDATION_FAILED",
    "/response/message",
  ],
  "an edit without a change where approving is not allowed": [
    { allowed: ["edit", "reject"] },
    { decision: "edit", args },
    "VALIDATION_FAILED",
    "/response/args",
  ],
};
for (const [name, [more, response, code, path]] of Object.entries(REFUSED))
  testOnBoth(`${name} is refused, and the task stays open`, async (service) => {
    const { id } = await ask(service, { action: refund(more) });
    const { status, body } = await complete(service, id, response);
    assert.deepEqual([status, body.error_code, body.details?.[0]?.path], [422, code, path]);
    assert.equal((await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.status, "created");
  });

testOnBoth("an edit of what is editable is taken", async (service) => {
  const action = refund({ editable: ["/lines/1/text", "/note~1s"] });
  const edit = { ...args, lines: [args.lines[0], { text: "Boots" }], "note/s": "left" };
  assert.deepEqual(await decided(service, action, { decision: "edit", args: edit }), {
    decision: "edit",
    args: edit,
    patch: [
      { op: "add", path: "/note~1s", value: "left" },
      { op: "replace", path: "/lines/1/text", value: "Boots" },
    ],
  });
});

testOnBoth("a request with an action that is wrong says where", async (service) => {
  const action = refund();
  const { payload, payload_schema, response_schema } = newTaskBody();
  assert.deepEqual(await refused(service, { action, payload: {} }), ["ACTION_AND_SCHEMAS", ["/payload"]]);
  assert.deepEqual(await refused(service, { action, form_definition: {} }), [
    "ACTION_AND_SCHEMAS",
    ["/form_definition"],
  ]);
  assert.deepEqual(
    await refused(service, {
      actions: [action, action],
      payload: payload!,
      payload_schema: payload_schema!,
      response_schema: response_schema!,
    }),
    ["ACTION_AND_SCHEMAS", ["/payload", "/payload_schema", "/response_schema"]],
  );
  assert.deepEqual(await refused(service, { action, actions: [action, action] }), ["VALIDATION_FAILED", ["/actions"]]);
  assert.deepEqual(await refused(service, {}), [
    "MALFORMED_REQUEST",
    ["/payload", "/payload_schema", "/response_schema"],
  ]);
  assert.deepEqual(await refused(service, { action: refund({ args: { amount: 500 } }) }), [
    "VALIDATION_FAILED",
    ["/action/args/amount"],
  ]);
  assert.deepEqual(await refused(service, { action: refund({ args_schema: { type: "nonsense" } }) }), [
    "VALIDATION_FAILED",
    ["/action/args_schema/type"],
  ]);
  assert.deepEqual(await refused(service, { action: refund({ allowed: [] }) }), [
    "VALIDATION_FAILED",
    ["/action/allowed"],
  ]);
  assert.deepEqual(await refused(service, { action: refund({ editable: ["amount"] }) }), [
    "VALIDATION_FAILED",
    ["/action/editable/0"],
  ]);
  assert.deepEqual(await refused(service, { action: refund({ allowed: ["approve"], editable: ["/amount"] }) }), [
    "VALIDATION_FAILED",
    ["/action/editable"],
  ]);
  assert.deepEqual(await refused(service, { action: refund({ allowed: ["approve"], message_required: ["reject"] }) }), [
    "VALIDATION_FAILED",
    ["/action/message_required"],
  ]);
  assert.deepEqual(await refused(service, { actions: [action] }), ["VALIDATION_FAILED", ["/actions"]]);
  assert.deepEqual(await refused(service, { actions: [action, refund({ args: { amount: 500 } })] }), [
    "VALIDATION_FAILED",
    ["/actions/1/args/amount"],
  ]);
});

const money = { "ui:widget": "currency", "ui:currency": "EUR" };

testOnBoth("how arguments are shown is in the record, and in the form that the service makes", async (service) => {
  const ui_schema = { amount: money, lines: { items: { text: { "ui:widget": "code" } } } };
  const one = await ask(service, { action: refund({ ui_schema }) });
  assert.deepEqual(one.action?.ui_schema, ui_schema);
  assert.deepEqual(one.form_definition?.["payload"], ui_schema);
  assert.deepEqual((await service.call<TaskRecord>("GET", `/api/tasks/${one.id}`)).body, one);
  const both = await ask(service, { actions: [refund(), refund({ ui_schema })] });
  assert.deepEqual(
    both.actions?.map((action) => action.ui_schema),
    [null, ui_schema],
  );
  assert.deepEqual(both.form_definition?.["payload"], { actions: { items: [{}, { args: ui_schema }] } });
});

testOnBoth("an action that was stored before there were such hints has none", async (service) => {
  const { id, action } = await ask(service, { action: refund() });
  const { action: stored } = await service.ctx.db.query
    .selectFrom("task_documents")
    .select("action")
    .where("task_id", "=", id)
    .executeTakeFirstOrThrow();
  const { ui_schema: _, ...earlier } = JSON.parse(stored!) as JsonObject;
  await service.ctx.db.write((tx) =>
    tx.query
      .updateTable("task_documents")
      .set({ action: JSON.stringify(earlier) })
      .where("task_id", "=", id)
      .where("home", "=", homeOf(id))
      .execute(),
  );
  assert.deepEqual((await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.action, action);
});

const many = (count: number): JsonObject => Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, {}]));

const WRONG_HINTS: Record<string, [ui_schema: JsonObject, path: string]> = {
  "a widget for answers": [{ amount: { "ui:widget": "radio" } }, "/amount/ui:widget"],
  "an unknown hint": [{ amount: { "ui:colour": "red" } }, "/amount/ui:colour"],
  "an unknown option": [{ amount: { "ui:options": { "a/b": 1 } } }, "/amount/ui:options/a~1b"],
  "a hint of the wrong type": [{ "ui:order": "amount" }, "/ui:order"],
  "hints for an item that are no object": [{ lines: { items: [{}, 7] } }, "/lines/items/1"],
  "a hidden argument": [{ to: { name: { "ui:widget": "hidden" } } }, "/to/name"],
  "a hidden item": [{ lines: { items: [{ text: { "ui:options": { widget: "hidden" } } }] } }, "/lines/items/0/text"],
  "a diff of two other arguments": [
    { amount: { "ui:widget": "diff", "ui:before": "/to", "ui:after": "/lines" } },
    "/amount",
  ],
  "hints for more than 1,000 places": [many(1001), "/n1000"],
};
for (const [name, [ui_schema, path]] of Object.entries(WRONG_HINTS))
  testOnBoth(`${name} is refused with its place`, async (service) => {
    assert.deepEqual(await refused(service, { action: refund({ ui_schema }) }), [
      "VALIDATION_FAILED",
      [`/action/ui_schema${path}`],
    ]);
    assert.deepEqual(await refused(service, { actions: [refund(), refund({ ui_schema })] }), [
      "VALIDATION_FAILED",
      [`/actions/1/ui_schema${path}`],
    ]);
  });

testOnBoth(
  "hints for arguments that are left out this time are taken, up to 1,000 for all actions",
  async (service) => {
    const half = refund({ ui_schema: many(500) });
    await ask(service, { actions: [half, half] });
    assert.deepEqual(await refused(service, { actions: [half, half, refund({ ui_schema: { amount: money } })] }), [
      "VALIDATION_FAILED",
      ["/actions/2/ui_schema/amount"],
    ]);
  },
);

testOnBoth("several actions are decided in their order, each by itself", async (service) => {
  const draft07 = {
    $schema: "http://json-schema.org/draft-07/schema#",
    $ref: "#/definitions/mail",
    definitions: { mail: { type: "object", properties: { to: { type: "string", maxLength: 20 } }, required: ["to"] } },
  };
  const mail: ActionRequest = {
    name: "send_mail",
    args: { to: "mia@example.com" },
    args_schema: draft07,
    allowed: ["edit", "approve"],
  };
  const free: ActionRequest = { name: "log", args: { text: "hello", list: [1, "a"] }, message_required: ["reject"] };
  const task = await ask(service, { actions: [refund(), mail, refund(), free] });
  assert.equal(task.action, null);
  assert.deepEqual(
    task.actions?.map(({ name, args: given }) => [name, given]),
    [
      ["refund", args],
      ["send_mail", mail.args],
      ["refund", args],
      ["log", free.args],
    ],
  );
  assert.deepEqual(task.actions?.[1]?.args_schema, draft07);
  const answer = (...decisions: object[]) => complete(service, task.id, { decisions });
  const fine = [
    { decision: "approve" },
    { decision: "edit", args: { to: "lee@example.com" } },
    { decision: "respond", message: "Wait." },
  ];
  assert.equal((await answer(...fine)).body.error_code, "VALIDATION_FAILED");
  const long = await answer(fine[0]!, { decision: "edit", args: { to: "somebody-else@example.com" } }, fine[2]!, {
    decision: "approve",
  });
  assert.equal(long.body.details?.[0]?.path, "/response/decisions/1/args/to");
  const { body } = await answer(...fine, { decision: "reject", message: "No." });
  assert.deepEqual(body.response, {
    decisions: [
      { decision: "approve", args },
      {
        decision: "edit",
        args: { to: "lee@example.com" },
        patch: [{ op: "replace", path: "/to", value: "lee@example.com" }],
      },
      { decision: "respond", message: "Wait." },
      { decision: "reject", message: "No." },
    ],
  });
});

testOnBoth("the same request about an action gives the same task, and says if it differs", async (service) => {
  const body = bodyOf({ action: refund() });
  const { body: first } = await service.call<TaskRecord>("POST", "/api/tasks", { body });
  const replayed = async (more: object) => {
    const { headers, body: task } = await service.call<TaskRecord>("POST", "/api/tasks", {
      body: { ...body, ...more },
    });
    assert.equal(task.id, first.id);
    return headers["idempotent-mismatch"] ?? "same";
  };
  assert.equal(await replayed({}), "same");
  assert.equal(
    await replayed({ action: { ...refund(), risk: "normal", editable: null, message_required: [], ui_schema: null } }),
    "same",
  );
  assert.equal(await replayed({ action: refund({ risk: "high" }) }), "true");
  assert.equal(await replayed({ action: refund({ ui_schema: { amount: money } }) }), "true");
  assert.equal(await replayed({ action: refund({ args: { ...args, amount: 1 } }) }), "true");
  assert.equal(await replayed({ action: { name: 7 } }), "true");
  // This request alone would be refused.
  assert.equal(await replayed({ payload: { amount: 90 } }), "true");
  assert.equal(await replayed({ action: undefined, actions: [refund(), refund()] }), "true");
});

testOnBoth("arguments without a schema are edited by their shape", async (service) => {
  const task = await ask(service, {
    action: { name: "log", args: { text: "a", lines: [{ n: 1 }, { n: 2 }], none: null }, allowed: ["edit", "reject"] },
  });
  assert.deepEqual(task.payload_schema, {
    type: "object",
    properties: {
      text: { type: "string" },
      lines: { type: "array", items: { type: "object", properties: { n: { type: "number" } } } },
      none: {},
    },
  });
  assert.equal((await complete(service, task.id, { decision: "edit", args: { text: 1 } })).status, 422);
  assert.equal((await complete(service, task.id, { decision: "edit", args: { text: "b" } })).status, 200);
});

testOnBoth("an action of high risk asks people for its name; programs may leave it out", async (service) => {
  const risky = refund({ risk: "high" });
  const { response_schema, form_definition } = await ask(service, { action: risky });
  const form = readForm({ response_schema, form_definition, payload: args, time_zone: "UTC", now: new Date(0) });
  const errorsOf = (entries: Entries) => checkPlan(form, planForm(form, entries)).map(({ message }) => message);
  const [approve, edit, reject] = ["0", "1", "2"].map((option) => ({ "/decision": [option] }));
  assert.deepEqual(errorsOf(approve!), ["Type this text exactly."]);
  assert.deepEqual(errorsOf({ ...edit!, "/args/amount": ["45"] }), ["Type this text exactly."]);
  assert.deepEqual(errorsOf({ ...approve!, "/confirm": ["refund"] }), []);
  assert.deepEqual(errorsOf(reject!), []);
  assert.deepEqual(await decided(service, risky, { decision: "approve" }), { decision: "approve", args });
  assert.deepEqual(await decided(service, risky, { decision: "approve", confirm: "refund" }), {
    decision: "approve",
    args,
  });
  const { id } = await ask(service, { action: risky });
  const { status, body } = await complete(service, id, { decision: "approve", confirm: "refunds" });
  assert.deepEqual([status, body.details?.[0]?.path], [422, "/response/confirm"]);
});

testOnBoth(
  "arguments that people may edit have the formats of their schema, because an edit sends them back",
  async (service) => {
    const due = { type: "object", properties: { due: { type: "string", format: "date-time" } } };
    const action = { name: "pay", args: { due: "2026-01-31 12:00" }, args_schema: due };
    assert.equal((await ask(service, { action })).status, "created");
    const edited = { action: { ...action, allowed: ["edit" as const] } };
    assert.deepEqual(await refused(service, edited), ["VALIDATION_FAILED", ["/action/args/due"]]);
  },
);

testOnBoth(
  "any arguments get a schema that the service takes, however many and however deep they are",
  async (service) => {
    const deep = Array.from({ length: 50 }).reduce<object>((inner) => ({ inner }), { end: 1 });
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`member ${i}`, i]));
    for (const args of [deep, wide, { list: Array.from({ length: 20_000 }, () => ({ n: 1 })) }] as JsonObject[]) {
      const { payload, payload_schema } = await ask(service, { action: { name: "log", args } });
      assert.deepEqual(payload, args);
      assert.ok(JSON.stringify(payload_schema).length < 1000);
    }
  },
);
