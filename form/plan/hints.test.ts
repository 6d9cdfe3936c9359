import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldHints, inOrder, readHints } from "./hints.ts";
import type { Channel } from "./hints.ts";
import type { BoolNode } from "./nodes.ts";
import { objectOf, tryForm } from "../fixtures/try-form.ts";

const TEXT = { type: "string" };
const SCHEMA = objectOf({ a: TEXT, b: TEXT, c: TEXT });

void test("fields come in the order of a hint, whose * stands for all others", () => {
  const keys = ["a", "b", "c", "d"];
  assert.deepEqual(inOrder(keys, null), keys);
  assert.deepEqual(inOrder(keys, ["d", "*", "a"]), ["d", "b", "c", "a"]);
  assert.deepEqual(inOrder(keys, ["c"]), ["c", "a", "b", "d"]);
  assert.deepEqual(inOrder(keys, ["nothing", "b", "b", "*", "*"]), ["b", "a", "c", "d"]);
  // A field may have this name, too.
  assert.deepEqual(inOrder(["a", "*"], ["*", "a"]), ["*", "a"]);
  assert.deepEqual(tryForm(SCHEMA, { hints: { ui: { "ui:order": ["c", "*"] } } }).names, ["/c", "/a", "/b"]);
});

void test("a hint says more than the schema, and the schema more than a name", () => {
  const schema = objectOf({ a_field: { type: "string", title: "Title", description: "About it." }, b_field: TEXT });
  const ui = { a_field: { "ui:title": "Hint", "ui:description": "Hinted.", "ui:help": "Help.", "ui:autofocus": true } };
  const told = tryForm(schema, { hints: { ui } }).at("/a_field");
  assert.deepEqual([told.title, told.description, told.help, told.autofocus], ["Hint", "Hinted.", "Help.", true]);
  const plain = tryForm(schema);
  const { title, description, help, autofocus } = plain.at("/a_field");
  assert.deepEqual([title, description, help, autofocus], ["Title", "About it.", null, false]);
  assert.equal(plain.at("/b_field").title, "B field");
  const blank = objectOf({ a_field: { type: "string", title: " ", description: "" } });
  assert.deepEqual([tryForm(blank).at("/a_field").title, tryForm(blank).at("/a_field").description], ["A field", null]);
});

void test("a hint may stand among the options as well", () => {
  const ui = { a: { "ui:options": { title: "From options", help: "Too" }, "ui:help": "First" } };
  const { title, help } = tryForm(SCHEMA, { hints: { ui } }).at("/a");
  assert.deepEqual([title, help], ["From options", "First"]);
});

void test("a definition that names a field and no part is all hints for fields", () => {
  const titleOf = (hints: unknown) => tryForm(SCHEMA, { hints }).at("/a").title;
  assert.equal(titleOf({ a: { "ui:title": "T" } }), "T");
  assert.equal(titleOf({ "ui:order": ["a"], a: { "ui:title": "T" } }), "T");
  assert.equal(titleOf({ a: { "ui:title": "T" }, submit: {} }), "A");
  assert.equal(titleOf([{ a: { "ui:title": "T" } }]), "A");
  assert.deepEqual(tryForm(SCHEMA, { hints: { "ui:order": ["c", "*"] } }).names, ["/c", "/a", "/b"]);
  // `ui` is then a part of the definition, even if a field has that name.
  const ui = tryForm(objectOf({ ui: TEXT }), { hints: { ui: { ui: { "ui:title": "T" } } } });
  assert.equal(ui.at("/ui").title, "T");
});

void test("what a channel says goes before what is said for all", () => {
  const hints = {
    ui: { a: { "ui:title": "All", "ui:help": "All" }, b: { "ui:title": "All" } },
    channels: { email: { ui: { a: { "ui:title": "Mail" }, b: 3 } }, slack: "none" },
  };
  const told = (channel?: Channel) => {
    const { at } = tryForm(SCHEMA, { hints, ...(channel === undefined ? {} : { channel }) });
    return [at("/a").title, at("/a").help, at("/b").title];
  };
  assert.deepEqual(told("email"), ["Mail", "All", "B"]);
  assert.deepEqual(told("slack"), ["All", "All", "All"]);
  assert.deepEqual(told(), ["All", "All", "All"]);
});

void test("hints that are nested without end are read", () => {
  let deep: object = { "ui:title": "x" };
  for (let level = 0; level < 50_000; level++) deep = { a: deep };
  const hints = { ui: deep, channels: { email: { ui: deep } } };
  assert.deepEqual(tryForm(SCHEMA, { hints, channel: "email" }).names, ["/a", "/b", "/c"]);
});

void test("hints of the wrong kind are as good as none", () => {
  const wrong = {
    "ui:title": 3,
    "ui:description": " ",
    "ui:help": ["x"],
    "ui:placeholder": {},
    "ui:enumNames": ["Go", 2],
    "ui:widget": "slider",
    "ui:autofocus": "yes",
    "ui:readonly": 1,
    "ui:options": ["x"],
    "ui:tone": ["positive"],
  };
  const schema = objectOf({ a: TEXT, ok: { type: "boolean" } }, "ok");
  const { at, names } = tryForm(schema, { hints: { ui: { "ui:order": ["ok", 3], a: wrong, ok: wrong } } });
  const bare = tryForm(schema);
  assert.deepEqual([at("/a"), at("/ok"), names], [bare.at("/a"), bare.at("/ok"), bare.names]);
  assert.equal((at("/ok") as BoolNode).options[0].label, "Yes");
  for (const hints of [3, "ui", null, [], { ui: [1] }, { ui: { a: [1] } }])
    assert.deepEqual(tryForm(schema, { hints }).at("/a"), bare.at("/a"));
});

void test("what every object has is no hint and no field", () => {
  const keys = ["constructor", "toString", "__proto__", "valueOf"];
  const schema = objectOf(Object.fromEntries(keys.map((key) => [key, TEXT])));
  const { at } = tryForm(schema, { hints: { ui: {} }, payload: {} });
  assert.equal(at("/constructor").title, "Constructor");
  const prefill = Object.fromEntries(keys.map((key) => [`/${key}`, `/${key}`]));
  assert.deepEqual(tryForm(schema, { hints: { prefill }, payload: {} }).plan.value, {});
  const ui = JSON.parse('{"__proto__": {"ui:title": "Mine"}, "toString": {"ui:title": "Yours"}}') as unknown;
  const named = tryForm(
    JSON.parse('{"properties": {"__proto__": {"type": "string"}, "toString": {"type": "string"}}}'),
    {
      hints: { ui, channels: { email: { ui } } },
      channel: "email",
    },
  );
  assert.deepEqual([named.at("/__proto__").title, named.at("/toString").title], ["Mine", "Yours"]);
});

void test("a copy is made by pointers of both sides, also through lists and odd names", () => {
  const payload = { "a/b": { "c~d": ["x", "y"] }, "~1": "z" };
  const value = (prefill: unknown) => tryForm(SCHEMA, { hints: { prefill }, payload }).plan.value;
  assert.deepEqual(value({ "/a": "/a~1b/c~0d/1", "/b": "/~01" }), { a: "y", b: "z" });
  for (const from of ["/a~1b/c~0d/-", "/a~1b/c~0d/length", "/a~1b/c~0d/2", "/a~1b/c~0d/0/length", "", "a~1b", 3])
    assert.deepEqual(value({ "/a": from }), {}, String(from));
  assert.deepEqual(value({ a: "/~01" }), {});
  assert.deepEqual(value([["/a", "/~01"]]), {});
});

void test("the words of the last step are those of the sender, or none", () => {
  const submit = (value: unknown) => readHints({ submit: value }, new Set(), null).submit;
  assert.deepEqual(submit({ label: "Send", confirm: "This pays." }), { label: "Send", confirm: "This pays." });
  assert.deepEqual(submit({ label: " ", confirm: true }), { label: null, confirm: null });
  assert.deepEqual(submit("Send"), { label: null, confirm: null });
});

void test("a field can be written as JSON when a hint wants that", () => {
  const hints = { ui: { a: { "ui:widget": "json" } } };
  assert.equal(tryForm(SCHEMA, { hints }).at("/a").kind, "json");
});

void test("an order that is longer than any form is none", () => {
  const order = Array.from({ length: 1_000 }, (_, i) => `f${i}`);
  assert.deepEqual(fieldHints({ "ui:order": order }).order, order);
  assert.equal(fieldHints({ "ui:order": [...order, "one more"] }).order, null);
});
