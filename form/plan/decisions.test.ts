import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoolNode, ChoiceNode } from "./nodes.ts";
import { objectOf, tryForm } from "../fixtures/try-form.ts";

const FIVE = ["a", "b", "c", "d", "e"];

void test("a decision is never filled in beforehand, and that is no change of anybody's", () => {
  const fields = { ok: { type: "boolean" }, pick: { enum: FIVE }, note: { type: "string" } };
  const payload = { ok: true, pick: "b", note: "n" };
  const prefill = { "/ok": "/ok", "/pick": "/pick", "/note": "/note" };
  const one = tryForm(objectOf(fields, "ok"), { hints: { prefill }, payload });
  assert.deepEqual(one.plan.value, { pick: "b", note: "n" });
  assert.deepEqual([one.plan.decision, one.plan.changes], ["/ok", []]);
  const other = tryForm(objectOf(fields, "ok"), { hints: { prefill, decision: "/pick" }, payload });
  assert.deepEqual(other.plan.value, { ok: true, note: "n" });
  const sides = tryForm(objectOf({ ok: { enum: [true, false] } }, "ok"), { hints: { prefill }, payload });
  assert.deepEqual(sides.plan.value, {});
});

void test("a text that is all an answer needs can be a draft from the payload", () => {
  const hints = { prefill: { "/reply": "/draft" } };
  const { plan } = tryForm(objectOf({ reply: { type: "string" } }, "reply"), { hints, payload: { draft: "Hello" } });
  assert.deepEqual([plan.value, plan.decision], [{ reply: "Hello" }, null]);
  const six = objectOf({ pick: { enum: [...FIVE, "f"] } }, "pick");
  const many = tryForm(six, { hints: { prefill: { "/pick": "/p" } }, payload: { p: "c" } });
  assert.deepEqual([many.plan.value, many.plan.decision], [{ pick: "c" }, null]);
});

void test("a consent is never ticked beforehand", () => {
  const schema = objectOf({ terms: { const: true }, note: { type: "string" } }, "terms", "note");
  const hints = { prefill: { "/terms": "/terms" } };
  const copied = tryForm(schema, { hints, payload: { terms: true } });
  assert.deepEqual([copied.plan.value, copied.plan.changes], [{}, []]);
  const terms = { const: true, default: true };
  assert.deepEqual(tryForm(objectOf({ terms }, "terms")).plan.value, {});
  assert.deepEqual(tryForm(schema, { answer: { terms: true } }).plan.value, { terms: true });
});

void test("a default chooses nothing; it is said where leaving the field out means it", () => {
  const pick = { enum: ["a", "b"], default: "b" };
  const free = tryForm(objectOf({ pick, ok: { type: "boolean", default: true }, level: { type: "string" } }));
  assert.deepEqual(free.plan.value, {});
  assert.equal(free.at("/pick").help, "Default: B");
  assert.equal(free.at("/ok").help, "Default: Yes");
  assert.equal((free.at("/ok") as BoolNode).look, "buttons");
  assert.equal(tryForm(objectOf({ pick }, "pick")).at("/pick").help, null);
  assert.equal(tryForm(objectOf({ pick }), { answer: { pick: "b" } }).at("/pick").help, null);
  const helped = tryForm(objectOf({ pick }), { hints: { ui: { pick: { "ui:help": "Ask Dana." } } } });
  assert.equal(helped.at("/pick").help, "Ask Dana.");
  const unlisted = tryForm(objectOf({ pick: { enum: ["a", "b"], default: "c" } }));
  assert.equal(unlisted.at("/pick").help, null);
  const off = tryForm(objectOf({ ok: { type: "boolean", default: false } })).at("/ok") as BoolNode;
  assert.deepEqual([off.look, off.help], ["checkbox", null]);
});

void test("an unticked box never means yes", () => {
  const hints = { ui: { ok: { "ui:widget": "checkbox" } } };
  const look = (schema: unknown) => (tryForm(schema, { hints }).at("/ok") as BoolNode).look;
  assert.equal(look(objectOf({ ok: { type: "boolean", default: true } })), "buttons");
  assert.equal(look(objectOf({ ok: { type: "boolean" } }, "ok")), "buttons");
  assert.equal(look(objectOf({ ok: { type: "boolean" } })), "checkbox");
  const asked = tryForm(objectOf({ ok: { type: "boolean" } }), { hints: { ui: { ok: { "ui:widget": "radio" } } } });
  assert.equal((asked.at("/ok") as BoolNode).look, "buttons");
});

void test("the decision is the only field that has to be answered, when it is a yes or no or a choice of few", () => {
  const decision = (schema: unknown, hints?: unknown) => tryForm(schema, { hints }).plan.decision;
  const [ok, note] = [{ type: "boolean" }, { type: "string" }];
  assert.equal(decision(objectOf({ ok, note }, "ok")), "/ok");
  assert.equal(decision(objectOf({ v: { const: 3 }, ok, note }, "v", "ok")), "/ok");
  assert.equal(decision(objectOf({ "a/b": ok }, "a/b")), "/a~1b");
  assert.equal(decision(objectOf({ ok, note }, "ok", "note")), null);
  assert.equal(decision(objectOf({ ok, note })), null);
  assert.equal(decision(objectOf({ note }, "note")), null);
  assert.equal(decision(objectOf({ terms: { const: true }, ok }, "terms", "ok")), null);
  assert.equal(decision(objectOf({ pick: { enum: FIVE } }, "pick")), "/pick");
  assert.equal(decision(objectOf({ pick: { enum: [...FIVE, "f"] } }, "pick")), null);
  assert.equal(decision(objectOf({ tags: { type: "array", items: { enum: FIVE } } }, "tags")), null);
  assert.equal(decision(objectOf({ g: objectOf({ ok }, "ok"), note }, "g", "note")), null);
  assert.equal(decision(objectOf({ g: objectOf({ ok }, "ok"), note }, "g", "note"), { decision: "/g/ok" }), "/g/ok");
  assert.equal(decision(objectOf({ ok, note }, "ok", "note"), { decision: "/ok" }), "/ok");
});

void test("a yes or no that is named as the decision is two buttons; what is hidden and a list to tick are none", () => {
  const decision = (field: unknown, ui = {}) =>
    tryForm(objectOf({ f: field }), { hints: { ui: { f: ui }, decision: "/f" } }).plan.decision;
  assert.equal(decision({ type: "boolean" }), "/f");
  assert.equal(decision({ type: "boolean" }, { "ui:widget": "radio" }), "/f");
  assert.equal(decision({ type: "boolean" }, { "ui:widget": "hidden" }), null);
  assert.equal(decision({ type: "array", items: { enum: FIVE } }), null);
});

void test("a hint that names no field as the decision is as good as none", () => {
  const schema = { ...objectOf({ ok: { type: "boolean" } }, "ok"), if: { required: ["ok"] }, ...later("more") };
  for (const decision of ["ok", "/nothing", "/constructor", 3, null, ""]) {
    const hints = { decision, prefill: { "/ok": "/ok" } };
    const { plan } = tryForm(schema, { hints, payload: { ok: true } });
    assert.deepEqual([plan.decision, plan.value], ["/ok", {}], String(decision));
  }
  // A field that only some answers bring up can be a decision.
  const { plan } = tryForm(schema, { hints: { decision: "/more" }, entries: { "/ok": ["true"] } });
  assert.equal(plan.decision, "/more");
  const either = { type: "object", oneOf: [objectOf({ a: { enum: FIVE } }, "a"), objectOf({ b: {} }, "b")] };
  const chosen = tryForm(either, { hints: { decision: "/a" }, entries: { "~form": ["0"] } });
  assert.equal(chosen.plan.decision, "/a");
});

/** Returns a part of a condition that asks one more question. */
function later(key: string): Record<string, unknown> {
  // oxlint-disable-next-line unicorn/no-thenable -- this is the keyword's name
  return { then: objectOf({ [key]: { enum: FIVE } }) };
}

void test("what is hidden or read-only without a value is asked all the same", () => {
  const field = (widget: unknown, schema: Record<string, unknown>, ...required: string[]) => {
    const tried = tryForm(objectOf({ f: schema }, ...required), {
      hints: { ui: { f: widget } },
      entries: { "/f": ["entered"] },
    });
    const { hidden, readonly } = tried.at("/f");
    return { hidden, readonly, value: tried.plan.value };
  };
  const [hide, lock] = [{ "ui:widget": "hidden" }, { "ui:readonly": true }];
  const text = { type: "string" };
  const given = { type: "string", default: "d" };
  assert.deepEqual(field(hide, text, "f"), { hidden: false, readonly: false, value: { f: "entered" } });
  assert.deepEqual(field(hide, text), { hidden: true, readonly: false, value: {} });
  assert.deepEqual(field(hide, given, "f"), { hidden: true, readonly: false, value: { f: "d" } });
  assert.deepEqual(field(lock, text, "f"), { hidden: false, readonly: false, value: { f: "entered" } });
  assert.deepEqual(field(lock, text), { hidden: false, readonly: true, value: {} });
  assert.deepEqual(field(lock, given, "f"), { hidden: false, readonly: true, value: { f: "d" } });
});

void test("a choice that is read-only but not made can be made", () => {
  const fields = {
    ok: { type: "boolean", default: true },
    pick: { enum: FIVE, default: "a" },
    kind: { oneOf: [objectOf({ a: {} }, "a"), objectOf({ b: {} }, "b")], default: { a: 1 } },
    note: { type: "string", default: "n" },
  };
  const locked = { "ui:readonly": true };
  const hints = { ui: { ok: locked, pick: locked, kind: locked, note: locked } };
  const { plan, at } = tryForm(objectOf(fields, "ok", "pick", "kind", "note"), {
    hints,
    entries: { "/ok": ["true"], "/pick": ["1"], "/kind~form": ["1"], "/kind/b~json": ["2"], "/note": ["other"] },
  });
  assert.deepEqual(plan.value, { ok: true, pick: "b", kind: { b: 2 }, note: "n" });
  assert.deepEqual([at("/ok").readonly, at("/pick").readonly, at("/note").readonly], [false, false, true]);
  const set = tryForm(objectOf({ pick: fields.pick }, "pick"), {
    hints,
    answer: { pick: "c" },
    entries: { "/pick": ["0"] },
  });
  assert.deepEqual([set.at("/pick").readonly, set.plan.value], [true, { pick: "c" }]);
});

void test("a list that is read-only but not there can be filled in", () => {
  const tags = { type: "array", items: { type: "string" }, minItems: 1 };
  const { at, says } = tryForm(objectOf({ tags }, "tags"), {
    hints: { ui: { tags: { "ui:readonly": true } } },
    entries: { "/tags/0": ["a"] },
  });
  assert.deepEqual([at("/tags").readonly, at("/tags").value, says], [false, ["a"], []]);
});

void test("what is read-only is not changed by what a page posts", () => {
  const lock = { "ui:readonly": true };
  const schema = objectOf({
    any: {},
    list: { type: "array", items: { type: "string" } },
    labels: { type: "object", additionalProperties: { type: "string" } },
    group: objectOf({ city: { type: "string" } }, "city"),
    kind: { oneOf: [objectOf({ a: {} }, "a"), objectOf({ b: {} }, "b")] },
  });
  const hints = { ui: { any: lock, list: lock, labels: lock, group: lock, kind: { ...lock, a: lock } } };
  const answer = { any: [1], list: ["x"], labels: { k: "v" }, group: { city: "Bern" }, kind: { a: 1 } };
  const entries = {
    "/any~json": ["2"],
    "/list~rows": ["0"],
    "/labels~rows": ["0"],
    "/labels/0~key": ["other"],
    "/group~open": ["0"],
    "/kind~form": ["1"],
  };
  const tried = tryForm(schema, { hints, answer, entries });
  assert.deepEqual(tried.plan.value, answer);
  const list = tried.at("/list");
  assert.deepEqual(list.kind === "list" && [list.canAdd, list.canRemove], [false, false]);
  const labels = tried.at("/labels");
  assert.equal(labels.kind === "record" && labels.canAdd, false);
});

void test("a hidden field stays as it was, whatever is posted for it", () => {
  const { plan } = tryForm(objectOf({ id: { type: "string", default: "t-1" } }), {
    hints: { ui: { id: { "ui:widget": "hidden" } } },
    entries: { "/id": ["mine"] },
  });
  assert.deepEqual(plan.value, { id: "t-1" });
});

void test("an answer goes before a copy of the payload, and that before a default", () => {
  const schema = objectOf({ note: { type: "string", default: "default" }, g: objectOf({ x: { type: "string" } }) });
  const hints = { prefill: { "/note": "/note", "/g/x": "/x" } };
  const payload = { note: "copy", x: "deep" };
  const value = (trial: object) => tryForm(schema, trial).plan.value;
  assert.deepEqual(value({}), { note: "default" });
  assert.deepEqual(value({ hints, payload }), { note: "copy", g: { x: "deep" } });
  assert.deepEqual(value({ hints, payload, answer: { note: "answer" } }), { note: "answer" });
  assert.deepEqual(value({ hints, payload, answer: {} }), {});
});

void test("a default of a group fills its fields, and a copy of the payload goes before it", () => {
  const g = { ...objectOf({ x: { type: "string", default: "own" }, y: { type: "string" } }), default: { x: "group" } };
  const hints = { prefill: { "/g/x": "/x" } };
  assert.deepEqual(tryForm(objectOf({ g })).plan.value, { g: { x: "group" } });
  assert.deepEqual(tryForm(objectOf({ g }), { hints, payload: { x: "copy" } }).plan.value, { g: { x: "copy" } });
});

void test("what does not fit is not copied from the payload", () => {
  const hints = { prefill: { "/n": "/n" } };
  const n = { type: "number", default: 1 };
  assert.deepEqual(tryForm(objectOf({ n }), { hints, payload: { n: "many" } }).plan.value, { n: 1 });
  assert.deepEqual(tryForm(objectOf({ n }), { hints, payload: { m: 2 } }).plan.value, { n: 1 });
});

void test("a default of null fills in nothing", () => {
  const schema = objectOf({ a: { default: null }, b: { type: ["string", "null"], default: null } });
  assert.deepEqual(tryForm(schema).plan.value, {});
  assert.deepEqual(tryForm(schema).at("/a").entry, []);
});

void test("what was filled in and then changed is told, and nothing else is", () => {
  const fields = {
    note: { type: "string" },
    copy: { type: "boolean" },
    tags: { type: "array", items: { enum: FIVE } },
    n: { type: "integer" },
    when: { type: "string", format: "date-time" },
    secret: { type: "string" },
    labels: { type: "object", additionalProperties: { type: "string" } },
  };
  const payload = {
    note: "",
    copy: false,
    tags: [],
    n: 3,
    when: "2026-01-01T10:00:00.5+02:00",
    secret: "s",
    labels: {},
  };
  const prefill = Object.fromEntries(Object.keys(payload).map((key) => [`/${key}`, `/${key}`]));
  const hints = { prefill, ui: { secret: { "ui:widget": "hidden" } } };
  assert.deepEqual(tryForm(objectOf(fields), { hints, payload }).plan.changes, []);
  const entries = { "/note": ["new"], "/copy": ["true"], "/n": [""] };
  const { plan } = tryForm(objectOf(fields), { hints, payload, entries });
  const changes = plan.changes.map(({ node, before, after }) => [node.name, before, after]);
  assert.deepEqual(changes, [
    ["/note", "", "new"],
    ["/copy", false, true],
    ["/n", 3, undefined],
  ]);
});

void test("buttons keep the words, the order and the colour that hints give them", () => {
  const hints = { ui: { ok: { "ui:enumNames": ["Ship", "Hold"], "ui:options": { tone: { true: "positive" } } } } };
  const ok = tryForm(objectOf({ ok: { type: "boolean" } }, "ok"), { hints }).at("/ok") as BoolNode;
  assert.deepEqual(
    ok.options.map(({ label, tone, value }) => [label, tone, value]),
    [
      ["Ship", "positive", true],
      ["Hold", null, false],
    ],
  );
});

void test("colour comes where the words judge or a hint says so, not for Yes and No", () => {
  const tones = (values: unknown[], tone = {}) => {
    const { at } = tryForm(objectOf({ pick: { enum: values } }), { hints: { ui: { pick: { "ui:tone": tone } } } });
    return (at("/pick") as ChoiceNode).options.map((option) => option.tone);
  };
  assert.deepEqual(tones(["approve", "Rejected", "wait"]), ["positive", "negative", null]);
  assert.deepEqual(tones(["yes", "no"]), [null, null]);
  assert.deepEqual(tones(["approve", 3, "x"], { approve: "neutral", 3: "negative", x: "loud" }), [
    "neutral",
    "negative",
    null,
  ]);
  const both = tryForm(objectOf({ ok: { type: "boolean" } }, "ok")).at("/ok") as BoolNode;
  assert.deepEqual([both.options[0].tone, both.options[1].tone], [null, null]);
  const words = { hints: { ui: { ok: { "ui:enumNames": ["Approve", "Reject"] } } } };
  const judged = tryForm(objectOf({ ok: { type: "boolean" } }, "ok"), words).at("/ok") as BoolNode;
  assert.deepEqual([judged.options[0].tone, judged.options[1].tone], ["positive", "negative"]);
});

void test("one of two booleans is a yes or no, however the schema writes it", () => {
  const ok = tryForm(objectOf({ ok: { enum: [false, true] } }, "ok")).at("/ok");
  assert.equal(ok.kind, "bool");
  assert.equal(tryForm(objectOf({ ok: { enum: [false, true, null] } }, "ok")).at("/ok").kind, "choice");
});

void test("a box that is ticked says yes, one that is not says nothing, whatever a page posts", () => {
  const value = (...texts: string[]) =>
    tryForm(objectOf({ ok: { type: "boolean" } }), { entries: { "/ok": texts } }).plan.value;
  // Pages without scripts also send an empty text, which distinguishes an unticked box from a question that was not
  // asked.
  assert.deepEqual([value("", "true"), value(""), value("false")], [{ ok: true }, {}, {}]);
  const other = tryForm(objectOf({ f: { const: 3 } }), { answer: { f: 4 } });
  assert.deepEqual(other.plan.value, {});
});

void test("of only one value nothing is asked, unless leaving it out is an answer too", () => {
  const kind = (schema: unknown, ...required: string[]) => tryForm(objectOf({ f: schema }, ...required));
  const must = kind({ const: 3 }, "f");
  assert.deepEqual([must.at("/f").hidden, must.plan.value], [true, { f: 3 }]);
  assert.deepEqual(kind({ const: 3, default: 3 }).plan.value, { f: 3 });
  const may = kind({ const: 3 });
  assert.deepEqual([may.at("/f").kind, may.plan.value], ["confirm", {}]);
  assert.deepEqual(kind({ const: true }, "f").at("/f").kind, "confirm");
  const ticked = tryForm(objectOf({ f: { const: 3 } }), { entries: { "/f": ["true"] } });
  assert.deepEqual(ticked.plan.value, { f: 3 });
});
