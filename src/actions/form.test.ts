import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isEqual } from "../../json-schema/equality.ts";
import { anyForm } from "../../form/fixtures/random-forms.ts";
import type { PayloadNode } from "../../form/payload/node.ts";
import { planPayload } from "../../form/payload/payload.ts";
import { keepUntouched } from "../../form/plan/edits.ts";
import { nodesOf } from "../../form/plan/nodes.ts";
import { planForm, readForm, type Form } from "../../form/plan/plan.ts";
import { SEED } from "../../test/support/seed.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Action } from "./action.ts";
import { formOfAction, formOfActions, type ActionForm } from "./form.ts";
import { inferSchema } from "./infer-schema.ts";

function action(more: Partial<Action>): Action {
  return {
    name: "refund",
    description: null,
    allowed: ["approve", "edit", "reject", "respond"],
    editable: null,
    risk: "normal",
    message_required: [],
    args: { amount: 90 },
    args_schema: { type: "object", properties: { amount: { type: "number" } } },
    ui_schema: null,
    ...more,
  };
}

function read({ response_schema, form_definition, payload }: ActionForm): Form {
  return readForm({
    response_schema,
    form_definition,
    payload,
    time_zone: "UTC",
    now: new Date("2026-11-22T12:00:00Z"),
  });
}

const PERSON = {
  type: "object",
  properties: {
    amount: { type: "number" },
    to: { type: "object", properties: { name: { type: "string" }, id: { type: "integer" } } },
  },
};

function optionOf(form: Form, name: string, decision: string): string {
  const node = [...nodesOf(planForm(form, {}).root)].find((one) => one.name === name);
  assert.ok(node?.kind === "choice");
  return String(node.options.findIndex(({ value }) => value === decision));
}

/** Returns the answer of a form in which only a decision was made. */
function decided(form: Form, { name, decision }: { name: string; decision: string }): JsonObject {
  return planForm(form, { [name]: [optionOf(form, name, decision)] }).value as JsonObject;
}

const edit = { name: "/decision", decision: "edit" };

void test("the form of an edit begins with the arguments, and untouched it gives them back, whatever their schema", () => {
  fc.assert(
    fc.property(anyForm, ({ schema, value }) => {
      fc.pre(!JSON.stringify(schema).includes("__proto__"));
      const args = JSON.parse(JSON.stringify(value)) as JsonObject;
      const form = read(formOfAction(action({ args, args_schema: schema })));
      const answer = keepUntouched(form, decided(form, edit), form.hints.prefill) as JsonObject;
      assert.ok(isEqual({ left: Number.POSITIVE_INFINITY }, answer["args"], args), JSON.stringify(answer));
    }),
    { numRuns: 500, seed: SEED },
  );
});

const rows = {
  type: "object",
  properties: { rows: { type: "array", items: { type: "object", properties: { n: { type: "number" } } } } },
};
const hidden = { rows: [1, 2, 3].map((n) => ({ n, id: `row-${n}` })), trace: "t-1", deep: { a: [null] } };

const KEPT: Record<string, [edited: JsonObject, kept: JsonObject]> = {
  "a changed value": [
    { rows: [{ n: 1 }, { n: 5 }, { n: 3 }] },
    { ...hidden, rows: [hidden.rows[0], { n: 5, id: "row-2" }, hidden.rows[2]] },
  ],
  "a removed row": [{ rows: [{ n: 1 }, { n: 3 }] }, { ...hidden, rows: [hidden.rows[0], hidden.rows[2]] }],
  "an added row": [{ rows: [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }] }, { ...hidden, rows: [...hidden.rows, { n: 4 }] }],
  "a row that was put first": [
    { rows: [{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }] },
    { ...hidden, rows: [{ n: 0 }, ...hidden.rows] },
  ],
  "no rows at all": [{ rows: [] }, { ...hidden, rows: [] }],
  "rows that were taken out": [{}, { trace: "t-1", deep: { a: [null] } }],
};
for (const [name, [edited, kept]] of Object.entries(KEPT))
  void test(`arguments that the form does not show stay beside ${name}`, () => {
    const form = read(formOfAction(action({ args: hidden, args_schema: rows })));
    assert.deepEqual(keepUntouched(form, { decision: "edit", args: edited }, form.hints.prefill), {
      decision: "edit",
      args: kept,
    });
  });

void test("several actions are asked about one by one, each with its own arguments", () => {
  const other = action({
    name: "log",
    args: { text: "hello", level: 3 },
    args_schema: { properties: { text: { type: "string" } } },
  });
  const form = read(formOfActions([action({}), other]));
  const answer = decided(form, { name: "/decisions/1/decision", decision: "edit" });
  assert.deepEqual(answer, { decisions: [{}, { decision: "edit", args: { text: "hello" } }] });
  assert.deepEqual(keepUntouched(form, answer, form.hints.prefill), {
    decisions: [{}, { decision: "edit", args: { text: "hello", level: 3 } }],
  });
});

void test("what an edit must not change is read-only in the form, and a message is asked for where it is needed", () => {
  const form = read(
    formOfAction(
      action({ args: { amount: 90, to: { name: "Mia", id: 7 } }, args_schema: PERSON, editable: ["/to/name"] }),
    ),
  );
  const shown = (decision: string) =>
    [...nodesOf(planForm(form, { "/decision": [optionOf(form, "/decision", decision)] }).root)]
      .filter(({ kind }) => kind !== "group")
      .map(({ name, readonly, required }) =>
        [name, readonly ? "read-only" : "", required ? "required" : ""].join(" ").trim(),
      );
  assert.deepEqual(shown("approve"), ["/decision  required"]);
  assert.deepEqual(shown("edit"), [
    "/decision  required",
    "/args/amount read-only",
    "/args/to/name",
    "/args/to/id read-only",
    "/message",
  ]);
  assert.deepEqual(shown("reject"), ["/decision  required", "/message"]);
  assert.deepEqual(shown("respond"), ["/decision  required", "/message  required"]);
});

const SHOWN = {
  "ui:order": ["code", "*"],
  amount: { "ui:title": "Sum", "ui:widget": "currency", "ui:options": { currency: "EUR" } },
  weight: { "ui:unit": "kg", "ui:help": "With its box." },
  paid: { "ui:widget": "currency", "ui:currency": "/in" },
  code: { "ui:widget": "code" },
  due: { "ui:widget": "date" },
  was: { "ui:widget": "diff", "ui:after": "/code" },
};
const GIVEN = { amount: 1240, weight: 2, paid: 7, in: "USD", code: "let a;", due: 1_767_225_600, was: "let b;" };
const NOW = new Date("2026-11-22T12:00:00Z");

void test("hints say how arguments are shown, alone and among several actions", () => {
  const one = action({ args: GIVEN, args_schema: {}, ui_schema: SHOWN });
  const kinds = (nodes: readonly PayloadNode[]) =>
    nodes.map((node) => [node.pointer, node.title, node.kind, "text" in node ? node.text : ""].join(" | "));
  const { payload, payload_schema, form_definition } = formOfAction(one);
  const { nodes, ignored } = planPayload({ payload, payload_schema, hints: form_definition["payload"], now: NOW });
  assert.deepEqual(ignored, []);
  assert.deepEqual(kinds(nodes), [
    "/code | Code | code | let a;",
    "/amount | Sum | currency | €1,240.00",
    "/weight | Weight | unit | 2 kg",
    "/paid | Paid | currency | US$7.00",
    "/in | In | text | USD",
    "/due | Due | date-time | 1 Jan 2026, 00:00 UTC",
    "/was | Was | diff | ",
  ]);
  const list = formOfActions([action({}), one]);
  const all = planPayload({ ...list, hints: list.form_definition["payload"], now: NOW });
  assert.deepEqual(all.ignored, []);
  const [actions] = all.nodes;
  const second = actions?.kind === "list" ? actions.items[1] : null;
  const args = second?.kind === "group" ? second.children.find(({ title }) => title === "Arguments") : null;
  assert.deepEqual(
    args?.kind === "group" && kinds(args.children),
    kinds(nodes).map((text) => `/actions/1/args${text}`),
  );
});

void test("hints say how arguments are edited too: their titles, their units, and what takes several lines", () => {
  const fields = (form: Form, name: string) => {
    const answer = planForm(form, { [name]: [optionOf(form, name, "edit")] });
    return [...nodesOf(answer.root)]
      .filter(({ name: own, kind }) => own.includes("/args/") && kind !== "group")
      .map((node) => [node.title, node.help ?? "", node.kind === "text" ? node.look : node.kind].join(" | "));
  };
  const args_schema = inferSchema(GIVEN);
  const one = action({ args: GIVEN, args_schema, ui_schema: SHOWN });
  const expected = [
    "Code |  | area",
    "Sum | In EUR | number",
    "Weight | With its box. | number",
    "Paid |  | number",
    "In |  | line",
    "Due |  | number",
    "Was |  | line",
  ];
  assert.deepEqual(fields(read(formOfAction(one)), "/decision"), expected);
  assert.deepEqual(fields(read(formOfActions([one, one])), "/decisions/1/decision"), expected);
  const fixed = read(formOfAction({ ...one, editable: ["/amount"] }));
  const sum = [...nodesOf(planForm(fixed, { "/decision": [optionOf(fixed, "/decision", "edit")] }).root)];
  assert.deepEqual(
    sum.filter(({ title }) => title === "Sum" || title === "Code").map(({ title, readonly }) => [title, readonly]),
    [
      ["Code", true],
      ["Sum", false],
    ],
  );
});

void test("each of many large actions has its decision and its name to type, even if all are edited", () => {
  const args = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`field_${i}`, "text"]));
  const large = action({ args, args_schema: inferSchema(args), risk: "high" });
  const form = read(formOfActions(Array.from({ length: 50 }, () => large)));
  const names = (what: string) => Array.from({ length: 50 }, (_, i) => `/decisions/${i}/${what}`);
  const edit = optionOf(form, "/decisions/0/decision", "edit");
  const plan = planForm(form, Object.fromEntries(names("decision").map((name) => [name, [edit]])));
  const nodes = new Map([...nodesOf(plan.root)].map((node) => [node.name, node]));
  assert.ok(names("decision").every((name) => nodes.get(name)?.value === "edit"));
  assert.ok(names("confirm").every((name) => nodes.get(name)?.problem?.code === "not_typed"));
  assert.ok(names("message").every((name) => nodes.get(name)?.kind === "text"));
  assert.deepEqual(new Set(names("args").map((name) => nodes.get(name)?.kind)), new Set(["group", "json"]));
  assert.ok(nodes.size < 3000, `${nodes.size} nodes`);
});
