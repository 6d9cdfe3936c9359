import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anySchema, anyValue } from "../../json-schema/fixtures/random-schemas.ts";
import { FORM_FIXTURES } from "../fixtures/forms.ts";
import { ignoredHints } from "./ignored-hints.ts";
import { objectOf } from "../fixtures/try-form.ts";

const TEXT = { type: "string" };
/** Returns the parts of a condition. */
const whenever = (onTrue: unknown, onFalse: unknown): object =>
  Object.fromEntries(Object.entries({ if: {}, else: onFalse }).concat([["then", onTrue]]));
const SCHEMA = objectOf(
  {
    approved: { type: "boolean" },
    note: TEXT,
    amount: { type: "number" },
    tags: { type: "array", items: { enum: ["a", "b"] } },
    lines: { type: "array", items: objectOf({ sku: TEXT }) },
    pair: { type: "array", prefixItems: [TEXT, objectOf({ x: TEXT })] },
    labels: { type: "object", additionalProperties: { type: "number" } },
    terms: { const: true },
  },
  "approved",
  "note",
);

function ignored(form_definition: unknown, response_schema: unknown = SCHEMA, payload: unknown = {}): string[] {
  return ignoredHints({ form_definition, response_schema, payload }).map(({ pointer, why }) => `${pointer}: ${why}`);
}

void test("hints that are honoured are not listed", () => {
  for (const fixture of FORM_FIXTURES)
    assert.deepEqual(ignored(fixture.form_definition, fixture.response_schema, fixture.payload), [], fixture.name);
  for (const nothing of [undefined, null, {}]) assert.deepEqual(ignored(nothing), []);
  const ui = {
    "ui:order": ["note", "*"],
    "ui:title": "Review",
    "ui:description": "Look closely.",
    approved: { "ui:enumNames": ["Yes", "No"], "ui:options": { tone: { true: "positive" }, widget: "radio" } },
    note: {
      "ui:widget": "textarea",
      "ui:placeholder": "Why?",
      "ui:help": "Short.",
      "ui:autofocus": true,
      "ui:readonly": false,
    },
    tags: { "ui:widget": "checkboxes", items: { "ui:enumNames": ["A", "B"] } },
    lines: { items: { sku: { "ui:title": "SKU" } } },
    pair: { items: [{}, { x: { "ui:title": "X" } }] },
    labels: { additionalProperties: { "ui:help": "In percent." } },
    amount: { "ui:widget": "text" },
  };
  assert.deepEqual(ignored(ui), []);
  const whole = {
    ui,
    payload: {},
    prefill: { "/note": "/draft/0", "/lines": "/lines", "/lines/0/sku": "/draft/0" },
    decision: "/approved",
    submit: { label: "Send", confirm: "This pays." },
    channels: {
      slack: { summary: ["/draft/0"], title: "Refund", ui },
      email: { subject: "Refund", summary: [] },
      dashboard: { ui },
      embed: {},
    },
  };
  assert.deepEqual(ignored(whole, SCHEMA, { draft: ["Hello"], lines: [] }), []);
  const nothing = { ui: null, payload: null, prefill: null, decision: null, submit: null, channels: null };
  assert.deepEqual(ignored(nothing), []);
});

void test("a form definition that is none says so", () => {
  for (const wrong of [3, "ui", [], true]) assert.deepEqual(ignored(wrong), [": A form definition must be an object."]);
});

void test("parts that do not exist, or are of the wrong kind, are listed", () => {
  assert.deepEqual(ignored({ ui: [], prefill: 1, payload: "x", submit: [], channels: true, buttons: {}, note: {} }), [
    "/ui: This must be an object.",
    "/prefill: This must be an object.",
    "/payload: This must be an object.",
    "/submit: This must be an object.",
    "/channels: This must be an object.",
    '/buttons: A form definition has no "buttons".',
    '/note: Put hints for fields under "ui".',
  ]);
  assert.deepEqual(ignored({ remark: { "ui:title": "x" } }), ['/remark: A form definition has no "remark".']);
  assert.deepEqual(ignored({ submit: { label: " ", confirm: 3, button: "x" } }), [
    "/submit/label: Enter text that isn't empty.",
    "/submit/confirm: Enter text that isn't empty.",
    '/submit/button: Unknown key "button".',
  ]);
});

void test("hints for fields that do not exist are listed, in the plain form too", () => {
  const ui = {
    remark: { "ui:title": "x" },
    note: 3,
    lines: { items: { skew: {} } },
    pair: { items: [{}, {}, {}] },
    amount: { items: {} },
  };
  assert.deepEqual(ignored({ ui }), [
    "/ui/remark: The answer has no field with this name.",
    "/ui/note: Hints for a field must be an object.",
    "/ui/lines/items/skew: The answer has no field with this name.",
    "/ui/pair/items/2: Unknown part of a list.",
    "/ui/amount/items: The answer has no field with this name.",
  ]);
  assert.deepEqual(ignored({ "ui:title": "x", "a/b": {} }), ["/a~1b: The answer has no field with this name."]);
  assert.deepEqual(ignored({ ui: { "ui:order": ["note", "x", "*"], constructor: {} } }), [
    "/ui/ui:order/1: Unknown field.",
    "/ui/constructor: The answer has no field with this name.",
  ]);
});

void test("hints that are unknown or of the wrong kind are listed", () => {
  const field = (hints: unknown, name = "note") =>
    ignored({ ui: { [name]: hints } }).map((line) => line.replace(`/ui/${name}/`, ""));
  assert.deepEqual(field({ "ui:rows": 3, "ui:options": { lines: 3, title: 3 }, "ui:title": "" }), [
    'ui:rows: Unknown hint "rows".',
    'ui:options/lines: Unknown hint "lines".',
    'ui:options/title: "ui:title" already sets this.',
    "ui:title: Enter text that isn't empty.",
  ]);
  assert.deepEqual(field({ "ui:options": "wide", "ui:autofocus": 1, "ui:enumNames": [1], "ui:order": "a" }), [
    "ui:options: This must be an object.",
    "ui:autofocus: This must be true or false.",
    "ui:enumNames: This must be a list of texts.",
    "ui:order: This must be a list of texts.",
  ]);
  assert.deepEqual(field({ "ui:tone": { a: "loud", b: "neutral" } }), [
    "ui:tone/a: A tone must be positive, negative or neutral.",
  ]);
  assert.deepEqual(field({ "ui:tone": "loud" }), ["ui:tone: This must be an object with a tone for each option."]);
  assert.deepEqual(field({ "ui:widget": "slider" }), ['ui:widget: Unknown widget for an answer: "slider".']);
  assert.deepEqual(field({ "ui:widget": { toString: 1 } }), ["ui:widget: This must be a text."]);
  assert.deepEqual(field({ "ui:widget": "checkboxes" }), [
    'ui:widget: The widget "checkboxes" does not fit this type of field.',
  ]);
  assert.deepEqual(field({ "ui:widget": "textarea" }, "approved"), [
    'ui:widget: The widget "textarea" does not fit this type of field.',
  ]);
  assert.deepEqual(field({ "ui:widget": "textarea" }, "terms"), []);
  assert.deepEqual(field({ "ui:widget": "typed" }), ['ui:widget: The widget "typed" does not fit this type of field.']);
  const schema = { type: "object", properties: { confirm: { const: "drop table" } } };
  assert.deepEqual(ignored({ ui: { confirm: { "ui:widget": "typed" } } }, schema), []);
});

void test("what must be answered is not hidden without a value, and that is listed", () => {
  const why = "A required field needs a default or a value from the payload for this.";
  const hidden = {
    note: { "ui:widget": "hidden" },
    approved: { "ui:options": { readonly: true } },
    amount: { "ui:widget": "hidden" },
  };
  assert.deepEqual(ignored({ ui: hidden }), [`/ui/note/ui:widget: ${why}`, `/ui/approved/ui:options/readonly: ${why}`]);
  const copied = { ui: { note: hidden.note }, prefill: { "/note": "/n" } };
  assert.deepEqual(ignored(copied, SCHEMA, { n: "x" }), []);
  const given = objectOf({ note: { ...TEXT, default: "x" } }, "note");
  assert.deepEqual(ignored({ ui: { note: hidden.note } }, given), []);
  const around = objectOf({ g: { ...objectOf({ note: TEXT }, "note"), default: { note: "x" } } }, "g");
  assert.deepEqual(ignored({ ui: { g: { note: hidden.note } } }, around), []);
  const either = { ...objectOf({ note: TEXT, a: TEXT }), anyOf: [{ required: ["note"] }, { required: ["a"] }] };
  assert.deepEqual(ignored({ ui: { note: hidden.note } }, either), []);
});

void test("fields that only some answers bring up are fields", () => {
  const more = (key: string) => objectOf({ [key]: TEXT });
  const schema = {
    $defs: { Base: more("base"), Node: objectOf({ next: { $ref: "#/$defs/Node" }, name: TEXT }) },
    ...more("a"),
    allOf: [{ $ref: "#/$defs/Base" }, whenever(more("yes"), more("no"))],
    oneOf: [more("one"), { anyOf: [more("two")] }],
    dependentSchemas: { a: more("with_a") },
    required: ["anything", "tree"],
    properties: { tree: { $ref: "#/$defs/Node" } },
  };
  const hint = { "ui:title": "x" };
  const keys = ["base", "yes", "no", "one", "two", "with_a", "anything"];
  const ui = {
    ...Object.fromEntries(keys.map((key) => [key, hint])),
    tree: { next: { next: { name: hint, nome: hint } } },
  };
  assert.deepEqual(ignored({ ui }, schema), ["/ui/tree/next/next/nome: The answer has no field with this name."]);
  // If a branch has the field, a definition without a wrapper is the plain form.
  assert.deepEqual(ignored({ yes: hint, nope: hint }, { ...more("a"), ...whenever(more("yes"), true) }), [
    "/nope: The answer has no field with this name.",
  ]);
});

void test("a copy must lead from the payload to a field that it fits", () => {
  const prefill = {
    "/note": "/missing",
    note: "/n",
    "/nope": "/n",
    "/lines/0/sku": "/n",
    "/labels/team": "/n",
    "/amount": "/n",
    "/approved": "/yes",
    "/terms": "/yes",
    "/tags": 3,
  };
  assert.deepEqual(ignored({ prefill, decision: "/approved" }, SCHEMA, { n: "x", yes: true }), [
    "/prefill/~1note: The payload has no value at the JSON Pointer to copy from.",
    "/prefill/note: The answer has no field at this JSON Pointer.",
    "/prefill/~1nope: The answer has no field at this JSON Pointer.",
    "/prefill/~1labels~1team: The payload's value doesn't fit this field.",
    "/prefill/~1amount: The payload's value doesn't fit this field.",
    "/prefill/~1approved: A decision can't be prefilled.",
    "/prefill/~1terms: A consent can't be prefilled.",
    "/prefill/~1tags: The payload has no value at the JSON Pointer to copy from.",
  ]);
});

void test("a decision must be a yes or no, or a choice of few", () => {
  const wide = { enum: ["a", "b", "c", "d", "e", "f"] };
  const schema = objectOf({
    ok: { anyOf: [{ type: "boolean" }, { type: "null" }] },
    pick: { enum: ["a", "b"] },
    stars: { type: "integer", minimum: 1, maximum: 5 },
    one: { enum: ["a"] },
    wide,
    note: TEXT,
    list: { type: "array", items: { enum: ["a", "b"] } },
    g: objectOf({ ok: { type: "boolean" } }),
  });
  for (const good of ["/ok", "/pick", "/stars", "/g/ok"])
    assert.deepEqual(ignored({ decision: good }, schema), [], good);
  const neither = "/decision: A decision must be yes or no, or one of at most 5 options.";
  for (const other of ["/one", "/wide", "/note", "/list", "/g"])
    assert.deepEqual(ignored({ decision: other }, schema), [neither], other);
  assert.deepEqual(ignored({ decision: "/nope" }, schema), [
    "/decision: The answer has no field at this JSON Pointer.",
  ]);
  for (const wrong of ["ok", 3, []])
    assert.deepEqual(ignored({ decision: wrong }, schema), [
      "/decision: This must be the JSON Pointer of a field, such as /approved.",
    ]);
});

void test("what is said for a channel is checked like all else", () => {
  const channels = {
    teams: {},
    slack: { summary: ["/n", "/x", 3], title: 3, subject: "x", ui: { nope: {} } },
    email: { summary: "/n", subject: "", ui: 3 },
    dashboard: { summary: [] },
    embed: [],
  };
  const pointing = "The payload has no value at this JSON Pointer.";
  assert.deepEqual(ignored({ channels }, SCHEMA, { n: 1 }), [
    '/channels/teams: Unknown channel "teams".',
    "/channels/slack/title: Enter text that isn't empty.",
    '/channels/slack/subject: Unknown key "subject".',
    "/channels/slack/ui/nope: The answer has no field with this name.",
    `/channels/slack/summary/1: ${pointing}`,
    `/channels/slack/summary/2: ${pointing}`,
    "/channels/email/subject: Enter text that isn't empty.",
    "/channels/email/ui: This must be an object.",
    "/channels/email/summary: This must be a list of JSON Pointers into the payload.",
    '/channels/dashboard/summary: Unknown key "summary".',
    "/channels/embed: This must be an object.",
  ]);
});

void test("for an answer that is JSON as a whole, no hint for a field has a field", () => {
  assert.deepEqual(
    ignored({ ui: { a: {} }, prefill: { "/a": "/a" }, decision: "/a" }, { type: "nonsense" }, { a: 1 }),
    [
      "/ui/a: The answer has no field with this name.",
      "/prefill/~1a: The answer has no field at this JSON Pointer.",
      "/decision: The answer has no field at this JSON Pointer.",
    ],
  );
});

void test("the list has an end, and its lines are short", () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${"x".repeat(5_000)}${index}`, {}]));
  const list = ignoredHints({ form_definition: { ui: many }, response_schema: SCHEMA, payload: {} });
  assert.equal(list.length, 50);
  for (const { pointer, why } of list) assert.ok(pointer.length <= 500 && why.length < 200);
  const widgets = ignoredHints({
    form_definition: { ui: { note: { "ui:widget": "x".repeat(5_000) } } },
    response_schema: SCHEMA,
    payload: {},
  });
  assert.ok(widgets[0]!.why.length < 100);
});

void test("hints that are made to hurt are listed as well", () => {
  const tree = { type: "object", properties: { next: { $ref: "#" }, note: TEXT } };
  let deep: unknown = {};
  for (let level = 0; level < 20_000; level++) deep = { next: deep };
  const [line] = ignored({ ui: deep }, tree);
  assert.match(line ?? "", /(?:\/next){65}: Too many hints\.$/);
  let wide: object = {};
  for (let level = 0; level < 12; level++) wide = { next: wide, note: {} };
  const items = { type: "array", items: tree };
  const rows = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, wide]));
  const properties = Object.fromEntries(Object.keys(rows).map((key) => [key, { $ref: "#/$defs/tree" }]));
  const schema = {
    $defs: { tree: { ...items.items, properties: { next: { $ref: "#/$defs/tree" }, note: TEXT } } },
    properties,
  };
  assert.match(ignored({ ui: rows }, schema)[0] ?? "", /Too many hints/);
});

void test("any form definition, any schema and any payload give a list", () => {
  const part = fc.oneof(
    anyValue,
    fc.dictionary(fc.constantFrom("/a", "a", "ui:widget", "ui:options", "items", "ui", "slack"), anyValue),
  );
  const keys = fc.constantFrom("ui", "payload", "prefill", "decision", "submit", "channels", "a", "ui:order");
  fc.assert(
    fc.property(
      fc.oneof(anyValue, fc.dictionary(keys, part)),
      fc.oneof(anySchema(5), anyValue),
      anyValue,
      (form_definition, response_schema, payload) => {
        const list = ignoredHints({ form_definition, response_schema, payload });
        assert.ok(list.length <= 50);
        for (const { pointer, why } of list) assert.match(`${pointer} ${why}`, /^(?:\/.*)? [A-Z"].*\.$/s);
      },
    ),
    { numRuns: 300 },
  );
});
