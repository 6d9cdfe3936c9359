import assert from "node:assert/strict";
import { test } from "node:test";
import type { GroupNode, ListNode, RecordNode, VariantNode } from "./nodes.ts";
import { nodesOf } from "./nodes.ts";
import { objectOf, tryForm } from "../fixtures/try-form.ts";

const TEXT = { type: "string" };
/** Returns if/then/else as a part of a schema. */
function when(condition: unknown, onTrue?: unknown, onFalse?: unknown): Record<string, unknown> {
  const parts = [
    ["if", condition],
    ["then", onTrue],
    ["else", onFalse],
  ].filter(([, part]) => part !== undefined);
  return Object.fromEntries(parts) as Record<string, unknown>;
}

const titles = (rows: readonly { title: string }[]): string[] => rows.map((row) => row.title);

void test("a list starts with the rows it must have, where it must be there", () => {
  const rows = (schema: object, ...required: string[]) => {
    const { at } = tryForm(objectOf({ tags: { type: "array", items: TEXT, minItems: 2, ...schema } }, ...required));
    return (at("/tags") as ListNode).rows.length;
  };
  assert.deepEqual([rows({}, "tags"), rows({}), rows({ type: ["array", "null"] }, "tags")], [2, 0, 0]);
  assert.equal(rows({ prefixItems: [TEXT, TEXT, TEXT], minItems: 0 }, "tags"), 3);
  assert.equal(rows({ default: ["a", "b", "c"] }), 3);
});

void test("a list without rows is left out, null, or empty", () => {
  const value = (schema: object, required: string[], entries = {}) =>
    tryForm(objectOf({ tags: { type: "array", items: TEXT, ...schema } }, ...required), { entries }).plan.value;
  const none = { "/tags~rows": ["0"] };
  assert.deepEqual([value({}, []), value({}, ["tags"])], [{}, { tags: [] }]);
  assert.deepEqual(value({ type: ["array", "null"], minItems: 1 }, ["tags"], none), { tags: null });
  assert.deepEqual(value({ type: ["array", "null"] }, ["tags"], none), { tags: [] });
  // A row that was left empty is in the answer, so that the others keep their places.
  assert.deepEqual(value({}, [], { "/tags~rows": ["2"], "/tags/1": ["b"] }), { tags: [null, "b"] });
});

void test("rows are added up to the most that are allowed", () => {
  const canAdd = (schema: object, rows: string) => {
    const entries = { "/f~rows": [rows], "/r~rows": [rows] };
    const record = {
      type: "object",
      additionalProperties: TEXT,
      ...("maxItems" in schema ? { maxProperties: schema.maxItems } : {}),
    };
    const { at } = tryForm(objectOf({ f: { type: "array", items: TEXT, ...schema }, r: record }), { entries });
    const [list, labels] = [at("/f") as ListNode, at("/r") as RecordNode];
    return [list.rows.length, list.canAdd, labels.rows.length, labels.canAdd];
  };
  assert.deepEqual(canAdd({ maxItems: 2 }, "1"), [1, true, 1, true]);
  assert.deepEqual(canAdd({ maxItems: 2 }, "2"), [2, false, 2, false]);
  assert.deepEqual(canAdd({}, "199"), [199, true, 199, true]);
  assert.deepEqual(canAdd({}, "9999"), [200, false, 200, false]);
  assert.deepEqual(canAdd({ maxItems: 900 }, "200"), [200, false, 200, false]);
  assert.deepEqual(canAdd({}, "many"), [0, true, 0, true]);
  assert.deepEqual(canAdd({}, "-1"), [0, true, 0, true]);
});

void test("a list that has to have more rows than a page can is written as JSON", () => {
  const kind = (minItems: number) => tryForm(objectOf({ f: { type: "array", items: TEXT, minItems } })).at("/f").kind;
  assert.deepEqual([kind(200), kind(201)], ["list", "json"]);
});

void test("a tuple has its own parts, and no others than it allows", () => {
  const pair = (schema: object, ...required: string[]) => {
    const f = {
      type: "array",
      title: "Position",
      prefixItems: [{ type: "number", title: "Latitude" }, TEXT],
      ...schema,
    };
    return tryForm(objectOf({ f }, ...required), { entries: { "/f~rows": ["3"] } }).at("/f") as ListNode;
  };
  const fixed = pair({ items: false }, "f");
  assert.deepEqual(titles(fixed.rows), ["Latitude", "Position, part 2"]);
  assert.deepEqual([fixed.canAdd, fixed.canRemove], [false, false]);
  assert.equal(pair({}).rows.length, 2);
  const open = pair({ items: TEXT }, "f");
  assert.deepEqual(
    [titles(open.rows), open.canAdd, open.canRemove],
    [["Latitude", "Position, part 2", "Position 3"], true, true],
  );
  assert.equal(pair({ items: false }).canRemove, true);
});

void test("a tuple with more parts than a page can have ends where a page does", () => {
  const f = { type: "array", prefixItems: Array.from({ length: 300 }, () => TEXT), items: false };
  assert.equal((tryForm(objectOf({ f }, "f")).at("/f") as ListNode).rows.length, 200);
});

void test("draft-07's words for a tuple are understood", () => {
  const rows = (schema: object) => {
    const f = { type: "array", ...schema };
    const entries = { "/f~rows": ["3"] };
    const draft = { $schema: "http://json-schema.org/draft-07/schema#" };
    return (tryForm({ ...draft, ...objectOf({ f }) }, { entries }).at("/f") as ListNode).rows.map((row) => row.kind);
  };
  assert.deepEqual(rows({ items: [{ type: "number" }, TEXT], additionalItems: false }), ["number", "text"]);
  assert.deepEqual(rows({ items: [{ type: "number" }], additionalItems: { type: "boolean" } }), [
    "number",
    "bool",
    "bool",
  ]);
});

void test("the button of a list names one of it", () => {
  const item = (title: string, items: object = TEXT) =>
    (tryForm(objectOf({ f: { type: "array", title, items } })).at("/f") as ListNode).item;
  const words = ["Line items", "Categories", "Boxes", "Addresses", "Status", "Press", "SKUs", "Notes", "Staff"];
  assert.deepEqual(
    words.map((word) => item(word)),
    ["line item", "category", "box", "address", "status", "press", "SKU", "note", "staff"],
  );
  assert.equal(item("Lines", { type: "string", title: "Order line" }), "order line");
});

void test("rows are numbered, and hints for items reach each of them", () => {
  const ui = {
    f: { items: { "ui:help": "One word.", "ui:title": "Ignored here" } },
    p: { items: [{}, { "ui:title": "To" }] },
  };
  const p = { type: "array", prefixItems: [TEXT, TEXT], items: false };
  const f = { type: "array", title: "Tags", items: { type: "string", title: "Tag" } };
  const { at } = tryForm(objectOf({ f, p }, "p"), { hints: { ui }, entries: { "/f~rows": ["2"] } });
  assert.deepEqual(titles((at("/f") as ListNode).rows), ["Tag 1", "Tag 2"]);
  assert.equal(at("/f/1").help, "One word.");
  assert.deepEqual(titles((at("/p") as ListNode).rows), ["P, part 1", "To"]);
});

void test("an answer that is shown again has only what was in it", () => {
  const row = objectOf({ a: { type: "string", default: "x" }, b: TEXT });
  const schema = objectOf({ f: { type: "array", items: row }, l: { type: "object", additionalProperties: row } });
  const answer = { f: [{ b: "1" }], l: { k: { b: "2" } } };
  assert.deepEqual(tryForm(schema, { answer }).plan.value, answer);
  // An added row is new, so its defaults apply.
  const added = tryForm(objectOf({ f: { type: "array", items: row } }), { entries: { "/f~rows": ["1"] } });
  assert.deepEqual(added.plan.value, { f: [{ a: "x" }] });
  const more = tryForm(objectOf({ f: { type: "array", items: row } }), {
    answer: { f: [] },
    entries: { "/f~rows": ["1"], "/f/0/b": ["1"] },
  });
  assert.deepEqual(more.plan.value, { f: [{ b: "1" }] });
});

void test("names in a record are needed, different from each other, and may be any text", () => {
  const schema = objectOf({ r: { type: "object", additionalProperties: TEXT } });
  const entries = {
    "/r~rows": ["5"],
    "/r/0~key": ["__proto__"],
    "/r/0": ["a"],
    "/r/1~key": ["constructor"],
    "/r/1": ["b"],
    "/r/2~key": ["x/y"],
    "/r/2": ["c"],
    "/r/3~key": ["x/y"],
    "/r/3": ["d"],
    "/r/4": ["e"],
  };
  const { plan, says, at } = tryForm(schema, { entries });
  assert.equal(JSON.stringify(plan.value), '{"r":{"__proto__":"a","constructor":"b","x/y":"c"}}');
  assert.equal(at("/r/2").pointer, "/r/x~1y");
  assert.deepEqual(says, [
    "/r/3~key: This name is already in use. Enter another one.",
    "/r/4~key: Enter a name, or remove this entry.",
  ]);
});

void test("a record without rows is left out or empty, and starts with what it must have", () => {
  const record = (schema: object, ...required: string[]) => {
    const { at, plan } = tryForm(
      objectOf({ r: { type: "object", additionalProperties: TEXT, ...schema } }, ...required),
    );
    return [(at("/r") as RecordNode).rows.length, plan.value];
  };
  assert.deepEqual(record({}), [0, {}]);
  assert.deepEqual(record({}, "r"), [0, { r: {} }]);
  assert.deepEqual(record({ minProperties: 2 }, "r"), [2, { r: {} }]);
  assert.equal(record({ minProperties: 2 })[0], 0);
  assert.equal(record({ minProperties: 2, type: ["object", "null"] }, "r")[0], 0);
  const patterns = { additionalProperties: false, patternProperties: { "^x-": { type: "number" } } };
  const { at } = tryForm(objectOf({ r: { type: "object", ...patterns } }), { entries: { "/r~rows": ["1"] } });
  assert.equal(at("/r/0").kind, "number");
  // A row whose value is missing is not in the answer, and the field says so.
  const { says } = tryForm(objectOf({ r: { type: "object", additionalProperties: TEXT } }), {
    entries: { "/r~rows": ["1"], "/r/0~key": ["a"] },
  });
  assert.deepEqual(says, ["/r/0: Required"]);
});

void test("hints for the values of a record reach each of them", () => {
  const ui = { r: { additionalProperties: { "ui:help": "In percent." } } };
  const r = { type: "object", additionalProperties: { type: "number" } };
  assert.equal(
    tryForm(objectOf({ r }), { hints: { ui }, entries: { "/r~rows": ["1"] } }).at("/r/0").help,
    "In percent.",
  );
});

void test("an object that says nothing about its fields is JSON, one that can have none is empty", () => {
  const field = (schema: object, ...required: string[]) => {
    const { at, plan } = tryForm(objectOf({ o: { type: "object", ...schema } }, ...required));
    return [at("/o").kind, plan.value];
  };
  assert.deepEqual(field({}), ["json", {}]);
  assert.deepEqual(field({ additionalProperties: {} }), ["json", {}]);
  assert.deepEqual(field({ additionalProperties: false }, "o"), ["const", { o: {} }]);
  assert.deepEqual(field({ additionalProperties: false }), ["const", {}]);
  assert.equal(field({ required: ["a"] }, "o")[0], "group");
  assert.equal(field(when({}, { properties: { a: TEXT } }))[0], "group");
});

void test("what is required without being described can be written all the same", () => {
  const { at, says } = tryForm({ ...objectOf({ a: TEXT }, "a", "b"), additionalProperties: { type: "number" } });
  assert.deepEqual([at("/b").kind, says], ["number", ["/a: Required", "/b: Required"]]);
  assert.equal(tryForm(objectOf({}, "b")).at("/b").kind, "json");
});

void test("a field that may not be there is not asked for", () => {
  assert.deepEqual(tryForm(objectOf({ a: TEXT, b: false })).names, ["/a"]);
  assert.deepEqual(tryForm({ ...objectOf({ a: TEXT, b: TEXT }), allOf: [{ properties: { b: false } }] }).names, ["/a"]);
});

void test("fields with names that programs stumble over are fields like others", () => {
  const keys = ["__proto__", "constructor", "toString", "a/b", "a~b", "~1", "", "*"];
  const properties = Object.fromEntries(keys.map((key) => [key, TEXT]));
  const entries = Object.fromEntries(
    keys.map((key) => [`/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, [`v ${key}`]]),
  );
  const { plan, says } = tryForm(objectOf(properties, ...keys), { entries });
  assert.deepEqual(says, []);
  assert.deepEqual(
    Object.entries(plan.value as object),
    keys.map((key) => [key, `v ${key}`]),
  );
  // The same holds for properties that every object inherits.
  const bare = tryForm(objectOf({ constructor: TEXT, valueOf: TEXT }), { answer: {}, hints: { ui: {} }, payload: {} });
  assert.deepEqual(bare.plan.value, {});
});

void test("an optional group with required fields is added and removed, other groups are always there", () => {
  const state = (schema: object, ...required: string[]) => {
    const { at, plan } = tryForm(objectOf({ g: { ...objectOf({ a: TEXT }), ...schema } }, ...required));
    return [(at("/g") as GroupNode).state, plan.value];
  };
  assert.deepEqual(state({}), ["fixed", {}]);
  assert.deepEqual(state({}, "g"), ["fixed", { g: {} }]);
  assert.deepEqual(state({ required: ["a"] }), ["closed", {}]);
  assert.deepEqual(state({ type: ["object", "null"] }, "g"), ["closed", { g: null }]);
  assert.deepEqual(state({ type: ["object", "null"] }), ["fixed", {}]);
  const address = objectOf({ a: TEXT }, "a");
  const shown = (trial: object) => (tryForm(objectOf({ g: address }), trial).at("/g") as GroupNode).state;
  assert.equal(shown({ answer: { g: { a: "x" } } }), "open");
  assert.equal(shown({ answer: {} }), "closed");
  assert.equal(shown({ answer: { g: { a: "x" } }, entries: { "/g~open": ["0"] } }), "closed");
  // An added group stays in the answer, even if it is empty.
  const empty = objectOf({ g: { ...objectOf({ a: TEXT }), type: ["object", "null"] } }, "g");
  assert.deepEqual(tryForm(empty, { entries: { "/g~open": ["1"] } }).plan.value, { g: {} });
  const added = tryForm(objectOf({ g: address }), { entries: { "/g~open": ["1"] } });
  assert.deepEqual([added.plan.value, added.says], [{ g: {} }, ["/g/a: Required"]]);
  // The whole answer cannot be removed, and is never left out.
  assert.deepEqual(tryForm({ type: ["object", "null"], properties: { a: TEXT }, required: ["a"] }).names, ["/a"]);
});

void test("a group that contains itself can be opened as deep as a form goes, and is JSON below", () => {
  const schema = { properties: { name: TEXT, boss: { $ref: "#" } }, type: "object" };
  const entries: Record<string, readonly string[]> = {};
  for (let name = "/boss", depth = 0; depth < 12; depth++, name += "/boss") entries[`${name}~open`] = ["1"];
  assert.equal((tryForm(schema).at("/boss") as GroupNode).state, "closed");
  const { plan } = tryForm(schema, { entries });
  const deepest = [...nodesOf(plan.root)].at(-1)!;
  assert.deepEqual([deepest.kind, deepest.name], ["json", "/boss".repeat(7)]);
});

void test("a form has an end, and what is beyond it is written as JSON", () => {
  const names = Array.from({ length: 60 }, (_, index) => `f${index}`);
  const wide = objectOf(Object.fromEntries(names.map((name) => [name, TEXT])));
  const schema = objectOf({ list: { type: "array", items: wide } });
  const { plan } = tryForm(schema, { entries: { "/list~rows": ["60"] } });
  const nodes = [...nodesOf(plan.root)];
  assert.ok(nodes.length < 2_100, `${nodes.length} fields`);
  assert.equal(nodes.at(-1)?.kind, "json");
});

void test("the last field of a large form is asked for like the first", () => {
  const pick = { enum: Array.from({ length: 30 }, (_, index) => `x${index}`) };
  const schema = objectOf({ list: { type: "array", items: objectOf({ pick, note: TEXT }, "pick", "note") } });
  const { at, says } = tryForm(schema, { entries: { "/list~rows": ["60"] } });
  assert.equal((at("/list/59") as GroupNode).state, "fixed");
  assert.deepEqual(says.slice(-2), ["/list/59/pick: Choose one.", "/list/59/note: Required"]);
});

void test("conditions inside of conditions do not multiply the work", () => {
  // Conditions that never settle, in each of six nested groups.
  const restless = (inner: object): object => ({
    ...objectOf({ inner, flag: { type: "string", default: "x" } }),
    dependentSchemas: { flag: { properties: { flag: false } } },
  });
  let schema: object = objectOf({ x: TEXT });
  for (let depth = 0; depth < 6; depth++) schema = restless(schema);
  let looks = 0;
  const payload = {
    get x(): string {
      looks++;
      return "x";
    },
  };
  const pointer = `${"/inner".repeat(6)}/x`;
  tryForm(schema, { payload, hints: { prefill: { [pointer]: "/x" } } });
  assert.ok(looks > 0 && looks < 2_100, `the innermost field was made ${looks} times`);
});

void test("a long form keeps its controls while its conditions are followed", () => {
  const fields = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`f${index}`, TEXT]));
  const chain = [1, 2, 3, 4, 5, 6].map((n) =>
    when({ required: [`c${n - 1}`] }, objectOf({ [`c${n}`]: { const: n } }, `c${n}`)),
  );
  const schema = { ...objectOf({ c0: { const: 0 }, ...fields }, "c0"), allOf: chain };
  const { at, plan } = tryForm(schema);
  assert.deepEqual(
    [at("/c6").value, at("/f399").kind, plan.value],
    [6, "text", { c0: 0, c1: 1, c2: 2, c3: 3, c4: 4, c5: 5, c6: 6 }],
  );
});

void test("more than 50 forms are not for choosing", () => {
  const forms = (count: number) => ({
    oneOf: Array.from({ length: count }, (_, index) => objectOf({ [`k${index}`]: TEXT }, `k${index}`)),
  });
  assert.equal(tryForm(objectOf({ f: forms(50) })).at("/f~form").kind, "variant");
  assert.equal(tryForm(objectOf({ f: forms(51) })).at("/f").kind, "json");
});

const tagged = (kind: string, more: object = {}): object => objectOf({ kind: { const: kind }, ...more }, "kind");

void test("each of several forms has a name that tells it from the others", () => {
  const names = (...oneOf: unknown[]) =>
    (tryForm(objectOf({ f: { oneOf } })).at("/f~form") as VariantNode).options.map((option) => option.label);
  const shape = { a_b: TEXT, c: { type: "string", title: "Colour" }, d: TEXT, e: TEXT };
  assert.deepEqual(names({ title: "By name", ...tagged("x") }, tagged("by_number"), tagged("")), [
    "By name",
    "By number",
    "Kind",
  ]);
  assert.deepEqual(names(objectOf(shape, "c"), objectOf(shape), objectOf(shape)), [
    "Colour",
    "A b, colour, d",
    "A b, colour, d (2)",
  ]);
  assert.deepEqual(names({ type: "string" }, { type: "integer" }, { type: ["array", "null"] }, { type: "boolean" }), [
    "Text",
    "Whole number",
    "List",
    "Yes or no",
  ]);
  assert.deepEqual(names({ type: "number" }, { minLength: 3 }), ["Number", "Other"]);
  const hints = { ui: { f: { "ui:enumNames": ["First"] } } };
  const { at } = tryForm(objectOf({ f: { oneOf: [tagged("a"), { ...tagged("b"), description: "The other." }] } }), {
    hints,
  });
  assert.deepEqual(
    (at("/f~form") as VariantNode).options.map(({ label, description }) => [label, description]),
    [
      ["First", null],
      ["B", "The other."],
    ],
  );
});

void test("one of several forms is chosen, and only then asked for", () => {
  const oneOf = [tagged("a", { x: { type: "string", default: "d" } }), tagged("b", { x: TEXT }), { type: "null" }];
  const schema = objectOf({ f: { title: "Outcome", oneOf: oneOf.slice(0, 2) } }, "f");
  const none = tryForm(schema);
  assert.deepEqual([none.plan.value, none.says, none.plan.branches], [{}, ["/f~form: Choose one."], true]);
  const chosen = tryForm(schema, { entries: { "/f~form": ["0"] } });
  assert.deepEqual([chosen.plan.value, chosen.at("/f").title], [{ f: { kind: "a", x: "d" } }, "Outcome"]);
  for (const text of ["2", "-1", "length", "0.0"])
    assert.deepEqual(tryForm(schema, { entries: { "/f~form": [text] } }).plan.value, {}, text);
  const nullable = tryForm(objectOf({ f: { oneOf } }, "f"));
  assert.deepEqual([nullable.plan.value, nullable.says], [{ f: null }, []]);
  assert.deepEqual(tryForm(objectOf({ f: { oneOf } })).plan.value, {});
  assert.equal(tryForm(objectOf({ a: TEXT })).plan.branches, false);
});

void test("an answer shows the form that it fits, and nothing of it in another form", () => {
  const oneOf = [
    tagged("a", { x: { type: "string", default: "d" } }),
    tagged("b", { x: { type: "string", default: "d" } }),
  ];
  const schema = objectOf({ f: { oneOf } });
  const answer = { f: { kind: "b", x: "kept" } };
  assert.deepEqual(tryForm(schema, { answer }).plan.value, answer);
  const other = tryForm(schema, { answer, entries: { "/f~form": ["0"] } });
  assert.deepEqual(other.plan.value, { f: { kind: "a" } });
  const copied = tryForm(schema, {
    payload: answer,
    hints: { prefill: { "/f": "/f" } },
    entries: { "/f~form": ["0"] },
  });
  assert.deepEqual(copied.plan.value, { f: { kind: "a", x: "d" } });
  // Rules beside the choice count as well.
  const beside = { minLength: 3, anyOf: [{ type: "string" }, { type: "object", properties: { a: TEXT } }] };
  const short = tryForm(objectOf({ f: { ...beside, type: ["string", "object"] } }), { answer: { f: "ab" } });
  assert.deepEqual(short.at("/f~form").entry, []);
});

void test("a default never chooses a form", () => {
  const f = { oneOf: [tagged("a"), tagged("b")], default: { kind: "b" } };
  assert.deepEqual(tryForm(objectOf({ f })).plan.value, {});
});

void test("choices inside of choices are entered one after the other", () => {
  const f = {
    oneOf: [objectOf({ a: TEXT }, "a"), objectOf({ b: TEXT }, "b")],
    anyOf: [objectOf({ c: TEXT }, "c"), objectOf({ d: TEXT }, "d")],
  };
  const entries = { "/f~form": ["1"], "/f~form1": ["0"], "/f/a": ["1"], "/f/d": ["2"] };
  const { plan, says } = tryForm(objectOf({ f }), { entries });
  assert.deepEqual(says, []);
  assert.deepEqual(plan.value, { f: { a: "1", d: "2" } });
  const types = tryForm(objectOf({ f: { type: ["string", "integer", "null"] } }));
  assert.deepEqual(
    (types.at("/f~form") as VariantNode).options.map((option) => option.label),
    ["Text", "Whole number"],
  );
  assert.equal(tryForm(objectOf({ f: { type: ["number", "integer"] } })).at("/f").kind, "number");
});

void test("what hangs on an answer is asked once there is that answer", () => {
  for (const key of ["ok", "a/b", "a~b"]) {
    const condition = { properties: { [key]: { const: true } } };
    const schema = {
      ...objectOf({ [key]: { type: "boolean" } }, key),
      ...when(condition, objectOf({ yes: TEXT }), objectOf({ no: TEXT })),
    };
    const name = `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const names = (entries = {}) => tryForm(schema, { entries }).names.slice(1);
    assert.deepEqual(
      [names(), names({ [name]: ["true"] }), names({ [name]: ["false"] })],
      [[], ["/yes"], ["/no"]],
      key,
    );
  }
});

void test("a condition that brings up another one is followed to the end", () => {
  const schema = {
    ...objectOf({ a: TEXT }),
    allOf: [
      when({ required: ["a"] }, objectOf({ b: { const: 1 } }, "b")),
      when({ required: ["b"] }, objectOf({ c: { const: 2 } }, "c")),
      when({ required: ["c"] }, objectOf({ d: TEXT })),
    ],
  };
  const { plan, names } = tryForm(schema, { entries: { "/a": ["x"] } });
  assert.deepEqual([plan.value, names, plan.branches], [{ a: "x", b: 1, c: 2 }, ["/a", "/d"], true]);
});

void test("conditions that contradict each other do not keep a form from being drawn", () => {
  const schema = { ...objectOf({ a: TEXT }), ...when({ required: ["b"] }, true, objectOf({ b: { const: 1 } }, "b")) };
  assert.deepEqual(tryForm(schema).names, ["/a"]);
  const unwelcome = { type: "string", default: "x" };
  const gone = { ...objectOf({ a: TEXT, b: unwelcome }), dependentSchemas: { b: { properties: { b: false } } } };
  assert.ok(tryForm(gone).names.includes("/a"));
  // The same number of parts, but other ones.
  const swap = {
    ...objectOf({ a: { enum: ["x", "y"] } }, "a"),
    allOf: [
      when({ properties: { a: { const: "x" } } }, objectOf({ b: { const: 1 } }, "b")),
      when({ required: ["b"] }, objectOf({ c: TEXT }), objectOf({ d: TEXT })),
    ],
  };
  assert.deepEqual(tryForm(swap, { entries: { "/a": ["0"] } }).names, ["/a", "/c"]);
});

void test("a field that needs others makes them required, in the words of both drafts", () => {
  const fields = { a: TEXT, b: TEXT };
  for (const keyword of ["dependentRequired", "dependencies"]) {
    const draft = keyword === "dependencies" ? { $schema: "http://json-schema.org/draft-07/schema#" } : {};
    const schema = { ...draft, ...objectOf(fields), [keyword]: { a: ["b"], constructor: ["c"] } };
    assert.deepEqual(tryForm(schema).says, [], keyword);
    assert.deepEqual(tryForm(schema, { entries: { "/a": ["x"] } }).says, ["/b: Required"], keyword);
  }
  for (const keyword of ["dependentSchemas", "dependencies"]) {
    const draft = keyword === "dependencies" ? { $schema: "http://json-schema.org/draft-07/schema#" } : {};
    const schema = {
      ...draft,
      ...objectOf({ a: TEXT }),
      [keyword]: { a: objectOf({ b: TEXT }), toString: objectOf({ c: TEXT }) },
    };
    assert.deepEqual(tryForm(schema).names, ["/a"], keyword);
    assert.deepEqual(tryForm(schema, { entries: { "/a": ["x"] } }).names, ["/a", "/b"], keyword);
  }
});
