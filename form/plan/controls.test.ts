import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChoiceNode, GroupNode, NumberNode, TextNode, TimeNode } from "./nodes.ts";
import { objectOf, tryForm } from "../fixtures/try-form.ts";
import type { Trial } from "../fixtures/try-form.ts";

/** Returns the field "f" of this schema. */
function fieldOf<Node>(schema: unknown, ui?: unknown, trial: Trial = {}): Node {
  const { plan } = tryForm(objectOf({ f: schema }), { hints: { ui: { f: ui } }, ...trial });
  return (plan.root as GroupNode).children[0] as Node;
}

const letters = (count: number): string[] => Array.from({ length: count }, (_, index) => `x${index}`);

void test("the longer a list of options, the more it helps to find one", () => {
  const look = (values: unknown[], ui?: unknown) => fieldOf<ChoiceNode>({ enum: values }, ui).look;
  assert.deepEqual([look(letters(5)), look(letters(6))], ["radio", "select"]);
  assert.deepEqual([look(letters(20)), look(letters(21))], ["select", "filter"]);
  // A person types a label, so two options with one label could not be distinguished.
  assert.equal(look([...letters(21), "X3"]), "select");
  assert.equal(look(letters(3), { "ui:widget": "select" }), "select");
  assert.equal(look(letters(9), { "ui:widget": "radio" }), "radio");
  assert.equal(look(letters(9), { "ui:widget": "buttons" }), "buttons");
  assert.equal(look(letters(9), { "ui:widget": "textarea" }), "select");
});

void test("a list of options that nobody could read is entered as a text", () => {
  const values = letters(1001);
  assert.equal(fieldOf<TextNode>({ type: "string", enum: values }).kind, "text");
  assert.equal(fieldOf<TextNode>({ type: "string", enum: values.slice(1) }).kind, "choice");
  const branches = values.map((value) => ({ const: value }));
  assert.notEqual(fieldOf<TextNode>({ anyOf: branches }).kind, "choice");
});

void test("an option is called by its hint, its title or its value, and told about once", () => {
  const anyOf = [
    { const: "a", title: "First", description: "The first one." },
    { const: "b" },
    { enum: ["c", "d"], title: "Both", description: "Both of them." },
    { const: "a", title: "Again" },
    { const: { k: 1 } },
    { const: { k: 1 }, title: "Again" },
    { const: { k: 2 } },
  ];
  const options = fieldOf<ChoiceNode>({ anyOf }, { "ui:enumNames": ["A"] }).options;
  assert.deepEqual(
    options.map(({ label, description }) => [label, description]),
    [
      ["A", "The first one."],
      ["B", null],
      ["C", null],
      ["D", null],
      ['{"k":1}', null],
      ['{"k":2}', null],
    ],
  );
  assert.equal(fieldOf<ChoiceNode>({ anyOf }).options[0]!.label, "First");
});

void test("only what the whole schema allows is offered", () => {
  const values = (schema: unknown) => fieldOf<ChoiceNode>(schema).options.map((option) => option.value);
  assert.deepEqual(values({ enum: ["a", 1, "b", null], type: "string" }), ["a", "b"]);
  assert.deepEqual(values({ enum: ["a", "bb", "c"], allOf: [{ maxLength: 1 }] }), ["a", "c"]);
  assert.deepEqual(values({ oneOf: [{ const: "a" }, { const: "b" }, { const: "a" }, { const: "c" }] }), ["b", "c"]);
});

void test("null among the options is an option, and not what an empty field means", () => {
  const schema = objectOf({ f: { enum: ["a", "b", null] } }, "f");
  const none = tryForm(schema);
  assert.deepEqual([none.plan.value, none.at("/f").nullable], [{}, false]);
  const chosen = tryForm(schema, { entries: { "/f": ["2"] } });
  assert.deepEqual(chosen.plan.value, { f: null });
});

void test("an option that was not offered is refused", () => {
  const chosen = (text: string, count = 3) => {
    const entries = { "/f": [text] };
    const { at } = tryForm(objectOf({ f: { enum: letters(count) } }), { entries });
    return at("/f").problem?.code ?? at("/f").value;
  };
  assert.deepEqual(
    [chosen("2"), chosen("3"), chosen("-1"), chosen("1.0"), chosen("0x1"), chosen("a")],
    ["x2", "not_in_list", "not_in_list", "not_in_list", "not_in_list", "not_in_list"],
  );
  assert.deepEqual([chosen(" X7 ", 30), chosen("x99", 30), chosen("7", 30)], ["x7", "not_in_list", "not_in_list"]);
  assert.equal(chosen("  "), undefined);
});

void test("several are given in the order of the list, each once", () => {
  const f = { type: "array", items: { enum: ["a", "b", "c"] } };
  const value = (schema: unknown, required: string[], ...texts: string[]) =>
    tryForm(objectOf({ f: schema }, ...required), { entries: { "/f": texts } }).plan.value;
  assert.deepEqual(value(f, [], "2", "0", "2"), { f: ["a", "c"] });
  assert.deepEqual(value(f, [], ""), {});
  // An empty selection is an answer if a list is required, unless it may not be empty.
  assert.deepEqual(value(f, ["f"], ""), { f: [] });
  assert.deepEqual(value({ ...f, minItems: 1 }, ["f"], ""), {});
  assert.deepEqual(tryForm(objectOf({ f }), { answer: { f: ["c", "gone", "a"] } }).plan.value, { f: ["a", "c"] });
});

void test("of several values one may be null, and is ticked like the others", () => {
  const f = { type: "array", items: { anyOf: [{ enum: ["a", "b"] }, { type: "null" }] }, minItems: 1 };
  const { plan, at } = tryForm(objectOf({ f }, "f"), { answer: { f: [null, "a"] } });
  assert.deepEqual(
    (at("/f") as ChoiceNode).options.map(({ label, value }) => [label, value]),
    [
      ["A", "a"],
      ["B", "b"],
      ["None", null],
    ],
  );
  assert.deepEqual(plan.value, { f: ["a", null] });
  const kept = { ...f, allOf: [{ items: { type: "string" } }] };
  assert.equal(fieldOf<ChoiceNode>(kept).options.length, 2);
});

void test("a list that is longer than there are options to tick has rows", () => {
  const items = { enum: ["a", "b"] };
  assert.equal(fieldOf<ChoiceNode>({ type: "array", items, minItems: 2 }).kind, "choice");
  assert.equal(fieldOf<ChoiceNode>({ type: "array", items, minItems: 3 }).kind, "list");
});

void test("options of a list to tick take their names from the list or from its items", () => {
  const f = { type: "array", items: { enum: ["a", "b"] } };
  const labels = (ui: unknown) => fieldOf<ChoiceNode>(f, ui).options.map((option) => option.label);
  assert.deepEqual(labels({ "ui:enumNames": ["One", "Two"] }), ["One", "Two"]);
  assert.deepEqual(labels({ items: { "ui:enumNames": ["One", "Two"] } }), ["One", "Two"]);
  assert.deepEqual(labels({}), ["A", "B"]);
  assert.equal(fieldOf<ChoiceNode>({ type: "array", items: { enum: ["a"] } }).kind, "list");
});

void test("options that are objects are known again", () => {
  const schema = objectOf({ f: { enum: [{ a: 1 }, { a: 2 }] }, g: { enum: letters(30) } });
  const answer = { f: { a: 2 }, g: "x12" };
  const { at, plan } = tryForm(schema, { answer });
  assert.deepEqual([at("/f").entry, at("/g").entry], [["1"], ["x12"]]);
  assert.deepEqual(plan.value, answer);
});

void test("a scale of few whole numbers is buttons", () => {
  const scale = (more: object, ui?: unknown) => {
    const node = fieldOf<ChoiceNode>({ type: "integer", minimum: 0, maximum: 10, ...more }, ui);
    return node.kind === "choice" ? node.look : node.kind;
  };
  assert.equal(scale({}), "buttons");
  assert.equal(scale({ maximum: 11 }), "number");
  assert.equal(scale({ type: "number" }), "number");
  assert.equal(scale({ minimum: 10 }), "number");
  assert.equal(scale({ minimum: 0.5, maximum: 4.5 }), "number");
  assert.equal(scale({ multipleOf: 5 }), "number");
  assert.equal(scale({}, { "ui:widget": "text" }), "number");
  assert.equal(scale({}, { "ui:widget": "select" }), "select");
  assert.equal(scale({}, { "ui:widget": "radio" }), "radio");
  assert.equal(scale({}, { "ui:widget": "textarea" }), "buttons");
  const stars = fieldOf<ChoiceNode>({ type: "integer", minimum: 1, maximum: 2 }, { "ui:enumNames": ["Poor"] });
  assert.deepEqual(
    stars.options.map(({ label, value }) => [label, value]),
    [
      ["Poor", 1],
      ["2", 2],
    ],
  );
});

void test("a number knows its bounds, the strictest of all that are said", () => {
  const all = [
    { minimum: 1, maximum: 90, exclusiveMinimum: 0, exclusiveMaximum: 95, multipleOf: 0.5 },
    { minimum: 5, maximum: 100, exclusiveMinimum: 4, exclusiveMaximum: 99 },
  ];
  const { min, max, above, below, step, whole } = fieldOf<NumberNode>({ type: "number", allOf: all });
  assert.deepEqual(
    { min, max, above, below, step, whole },
    { min: 5, max: 90, above: 4, below: 95, step: 0.5, whole: false },
  );
  // Libraries write the largest numbers that they can hold.
  const [minimum, maximum] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const wide = fieldOf<NumberNode>({ type: "integer", minimum, maximum });
  assert.deepEqual([wide.min, wide.max, wide.whole], [null, null, true]);
  assert.equal(fieldOf<NumberNode>({ type: "number" }, { "ui:placeholder": "12" }).placeholder, "12");
});

void test("a decimal that may be a text keeps all its digits", () => {
  const digits = { type: "string", pattern: "^\\d+\\.?\\d*$" };
  const f = { anyOf: [{ type: "number", minimum: 2 }, digits] };
  const value = (text: string) => tryForm(objectOf({ f }), { entries: { "/f": [text] } }).plan.value;
  assert.deepEqual(value("19.99"), { f: 19.99 });
  assert.deepEqual(value("12345678901234567.89"), { f: "12345678901234567.89" });
  assert.equal(fieldOf<NumberNode>(f).min, 2);
  assert.equal(fieldOf<NumberNode>({ anyOf: [{ type: "integer" }, digits] }).kind, "number");
  const kind = (...anyOf: unknown[]) => fieldOf<NumberNode>({ anyOf }).kind;
  assert.equal(kind({ type: "number" }, { type: "string" }), "variant");
  assert.equal(kind({ type: "number" }, { type: "string", pattern: "^[A-Z]$" }), "variant");
  assert.equal(kind({ type: "number" }, { type: "string", pattern: "^item\\d+$" }), "variant");
  assert.equal(kind({ type: "number" }, digits, { type: "boolean" }), "variant");
  assert.deepEqual(tryForm(objectOf({ f }), { answer: { f: "12345678901234567.89" } }).plan.value, {
    f: "12345678901234567.89",
  });
});

void test("a number is kept exactly, or refused", () => {
  const read = (text: string, type = "number") => {
    const node = tryForm(objectOf({ f: { type } }), { entries: { "/f": [text] } }).at("/f");
    return node.problem?.code ?? node.value;
  };
  assert.equal(read("0.00000123456789012345"), 0.00000123456789012345);
  assert.equal(read("0.000001234567890"), 0.00000123456789);
  assert.equal(read("1.23456789012345e10"), 12345678901.2345);
  assert.equal(read("1230000000000000000000"), 1.23e21);
  assert.equal(read("9007199254740991"), 9007199254740991);
  assert.equal(read("9007199254740993"), "too_exact");
  assert.equal(read("12345678901234567890"), "too_exact");
  assert.equal(read("1000000000000000.01"), "too_exact");
  assert.equal(read("1e400"), "too_exact");
  assert.equal(read("1.5e3"), 1500);
  assert.equal(read("123456789e12"), 123456789e12);
  assert.equal(read("1.5", "integer"), "not_whole");
  assert.equal(read("2.0", "integer"), 2);
  assert.equal(read("   "), undefined);
});

void test("a number that a program sent with all its digits can be sent back", () => {
  const hints = { prefill: { "/f": "/sum" } };
  const sum = 0.1 + 0.2;
  const { plan, says } = tryForm(objectOf({ f: { type: "number" } }, "f"), { hints, payload: { sum } });
  assert.deepEqual([plan.value, plan.changes, says], [{ f: sum }, [], []]);
});

void test("a text gets several lines where it may be long", () => {
  const look = (key: string, schema: object, ui?: unknown) => {
    const { at } = tryForm(objectOf({ [key]: { type: "string", ...schema } }), { hints: { ui: { [key]: ui } } });
    return (at(`/${key}`) as TextNode).look;
  };
  assert.deepEqual(
    [look("f", {}), look("f", { maxLength: 120 }), look("f", { maxLength: 121 })],
    ["line", "line", "area"],
  );
  assert.deepEqual([look("note", {}), look("review_note", {}), look("notebook", {})], ["area", "area", "line"]);
  assert.equal(look("note", { maxLength: 120 }), "line");
  assert.equal(look("note", { pattern: "^x" }), "line");
  assert.equal(look("note", { format: "uuid" }), "line");
  assert.equal(look("f", { pattern: "^x" }, { "ui:widget": "textarea" }), "area");
  assert.equal(look("note", {}, { "ui:widget": "text" }), "line");
});

void test("a secret is not shown while it is written", () => {
  const look = (schema: object, ui?: unknown) => fieldOf<TextNode>({ type: "string", ...schema }, ui).look;
  assert.equal(look({ format: "password" }), "password");
  assert.equal(look({ writeOnly: true }), "password");
  assert.equal(look({}, { "ui:widget": "password" }), "password");
  assert.equal(look({ writeOnly: true }, { "ui:widget": "textarea" }), "area");
  assert.equal(look({ format: "color" }), "color");
});

void test("a text tells what it wants: its kind, its bounds, an example", () => {
  const type = (format: string) => fieldOf<TextNode>({ type: "string", format }).type;
  assert.deepEqual(["email", "idn-email", "uri", "url", "uuid"].map(type), ["email", "email", "url", "url", "text"]);
  const allOf = [
    { minLength: 2, maxLength: 9 },
    { minLength: 3, maxLength: 10, pattern: "x", examples: ["x1", "x2"] },
  ];
  const { min, max, hasPattern, example } = fieldOf<TextNode>({ type: "string", allOf });
  assert.deepEqual({ min, max, hasPattern, example }, { min: 3, max: 9, hasPattern: true, example: "x1" });
  assert.equal(fieldOf<TextNode>({ type: "string", examples: [7] }).example, null);
  assert.equal(fieldOf<TextNode>({ type: "string" }, { "ui:placeholder": "Why?" }).placeholder, "Why?");
});

void test("blanks alone are no text, those around an address do not count, all others do", () => {
  const value = (schema: object, text: string, ui?: unknown) =>
    tryForm(objectOf({ f: { type: "string", ...schema } }), {
      entries: { "/f": [text] },
      hints: { ui: { f: ui } },
    }).plan.value;
  assert.deepEqual(value({}, " \n "), {});
  assert.deepEqual(value({}, " a "), { f: " a " });
  assert.deepEqual(value({ format: "email" }, " a@b.de "), { f: "a@b.de" });
  assert.deepEqual(value({ format: "uri" }, " x:y ", { "ui:widget": "textarea" }), { f: " x:y " });
  assert.deepEqual(tryForm(objectOf({ f: { type: "string", format: "color" } })).says, []);
  assert.deepEqual(value({ format: "color" }, " #1a7f4b "), { f: "#1a7f4b" });
});

void test("an empty field is left out, is null, or is missing", () => {
  const types = { type: ["string", "null"] };
  const free = tryForm(objectOf({ f: types }));
  assert.deepEqual([free.plan.value, free.says], [{}, []]);
  const must = tryForm(objectOf({ f: types }, "f"));
  assert.deepEqual([must.plan.value, must.says], [{ f: null }, []]);
  const missing = tryForm(objectOf({ f: { type: "string" } }, "f"));
  assert.deepEqual([missing.plan.value, missing.says], [{}, ["/f: Required"]]);
  // An answer of null shows an empty field, not a word.
  assert.deepEqual(tryForm(objectOf({ f: types }, "f"), { answer: { f: null } }).at("/f").entry, []);
});

void test("dates and times get controls of their own, unless a hint wants a text", () => {
  const kind = (schema: object, ui?: unknown) =>
    fieldOf<TimeNode>({ type: "string", ...schema }, ui, { zone: "Asia/Tokyo" });
  assert.deepEqual([kind({ format: "date" }).kind, kind({ format: "date" }).zone], ["date", null]);
  assert.deepEqual([kind({ format: "time" }).kind, kind({ format: "time" }).zone], ["time", "Asia/Tokyo"]);
  assert.deepEqual(
    [kind({ format: "date-time" }).kind, kind({ format: "date-time" }).zone],
    ["datetime", "Asia/Tokyo"],
  );
  const clock = "^(?:[01]\\d|2[0-3]):[0-5]\\d$";
  assert.deepEqual([kind({ pattern: clock }).kind, kind({ pattern: clock }).zone], ["time", null]);
  assert.equal(kind({ pattern: clock, format: "x-clock" }).kind, "text");
  assert.equal(kind({ format: "date" }, { "ui:widget": "text" }).kind, "text");
});

void test("a date or a time that does not exist is refused", () => {
  const read = (schema: object, text: string, zone = "UTC") => {
    const node = tryForm(objectOf({ f: { type: "string", ...schema } }), { entries: { "/f": [text] }, zone }).at("/f");
    return node.problem?.code ?? node.value;
  };
  const clock = { pattern: "^(?:[01]\\d|2[0-3]):[0-5]\\d" };
  assert.deepEqual(
    [read({ format: "date" }, " 2027-02-28 "), read({ format: "date" }, "2027-02-30")],
    ["2027-02-28", "not_a_date"],
  );
  assert.deepEqual([read(clock, "14:30"), read(clock, "24:30")], ["14:30", "not_a_time"]);
  assert.equal(read({ format: "time" }, "14:30", "Asia/Tokyo"), "14:30:00+09:00");
  assert.equal(read({ format: "time" }, "2 o'clock"), "not_a_time");
  assert.equal(read({ format: "date-time" }, "2027-02-30T10:00"), "not_a_date");
  assert.equal(read({ format: "date-time" }, "2027-03-28T02:30", "Europe/Berlin"), "no_such_time");
});

void test("a time that nobody changed keeps its exact text", () => {
  const shown = (schema: object, given: string, zone = "Europe/Berlin") => {
    const trial = { answer: { f: given }, zone };
    const { at, plan } = tryForm(objectOf({ f: { type: "string", ...schema } }), trial);
    return [at("/f").entry[0], (plan.value as { f?: string }).f];
  };
  const clock = { pattern: "^(?:[01]\\d|2[0-3]):[0-5]\\d" };
  const stamp = "2027-07-01T14:30:00.250+05:00";
  assert.deepEqual(shown({ format: "date-time" }, stamp), ["2027-07-01T11:30", stamp]);
  assert.deepEqual(shown({ format: "time" }, "14:30:00+09:00"), ["14:30", "14:30:00+09:00"]);
  assert.deepEqual(shown({ format: "time" }, "14:30:15Z"), ["14:30:15", "14:30:15Z"]);
  assert.deepEqual(shown(clock, "14:00"), ["14:00", "14:00"]);
  assert.deepEqual(shown(clock, "25:00"), [undefined, undefined]);
  assert.deepEqual(shown({ format: "date" }, "soon"), [undefined, undefined]);
});

void test("a schema that names no type is known by its rules", () => {
  const kind = (schema: unknown) => fieldOf<ChoiceNode>(schema).kind as string;
  assert.equal(kind({ maxLength: 5 }), "text");
  assert.equal(kind({ format: "date" }), "date");
  assert.equal(kind({ minimum: 5 }), "number");
  assert.equal(kind({ items: { type: "string" } }), "list");
  assert.equal(kind({ prefixItems: [{ type: "string" }] }), "list");
  assert.equal(kind({ properties: { a: {} } }), "group");
  assert.equal(kind({ required: ["a"] }), "group");
  assert.equal(kind({ additionalProperties: { type: "string" } }), "record");
  assert.equal(kind({ title: "Anything" }), "json");
  assert.equal(kind({ type: "string", minimum: 5 }), "text");
  // Rules for texts have no effect in a place that accepts no text.
  assert.equal(kind({ maxLength: 5, allOf: [{ type: "array" }], items: { type: "string" } }), "list");
  assert.equal(kind({ type: "string", allOf: [false] }), "json");
  assert.equal(kind({ allOf: [false], anyOf: [{ type: "string" }, { type: "object", required: ["a"] }] }), "json");
  assert.equal(kind({ type: "string", allOf: [{ type: "number" }] }), "json");
  assert.equal(kind({ type: "string", enum: [1] }), "text");
});

void test("a box of JSON says in which line it is wrong, and what cannot be sent", () => {
  const read = (text: string) => {
    const node = tryForm(objectOf({ f: {} }), { entries: { "/f~json": [text] } }).at("/f");
    return node.problem ?? node.value;
  };
  assert.deepEqual(read('{"a": [1, null]}'), { a: [1, null] });
  assert.equal(read("null"), null);
  assert.equal(read(" "), undefined);
  assert.deepEqual(read('{\n"a": 1,\n}'), { code: "not_json", line: 3 });
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  assert.deepEqual(read(nested(65)), { code: "too_deep" });
  assert.equal(JSON.stringify(read(nested(64))), nested(64));
  // If any value is allowed, an empty box is not null.
  assert.deepEqual(tryForm(objectOf({ f: {} }, "f")).says, ["/f: Required"]);
  assert.deepEqual(tryForm(objectOf({ f: {} }), { answer: { f: { a: 1 } } }).plan.value, { f: { a: 1 } });
});
