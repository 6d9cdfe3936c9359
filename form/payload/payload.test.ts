import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { HOSTILE_CASES } from "../../json-schema/fixtures/hostile.ts";
import { anySchema, anyValue } from "../../json-schema/fixtures/random-schemas.ts";
import { FIXTURE_NOW, PAYLOAD_FIXTURES } from "../fixtures/payloads.ts";
import type { PayloadNode, PayloadPlan } from "./node.ts";
import { planPayload } from "./payload.ts";
import type { PayloadInput } from "./payload.ts";

function plan(payload: unknown, rest: Partial<PayloadInput> = {}): PayloadPlan {
  return planPayload({ payload, now: FIXTURE_NOW, ...rest });
}

function fixture(name: string): PayloadPlan {
  return planPayload({ ...PAYLOAD_FIXTURES[name]!, now: FIXTURE_NOW });
}

function childrenOf(node: PayloadNode): readonly PayloadNode[] {
  switch (node.kind) {
    case "group":
    case "tree":
      return node.children;
    case "list":
    case "chips":
      return node.items;
    case "table":
      return node.rows.flat();
    case "masked":
      return [node.inner];
    case "diff":
      return [node.before, node.after].filter((side) => side !== null);
    case "changes":
      return node.rows.flatMap((row) => [row.before, row.after]).filter((side) => side !== null);
    default:
      return [];
  }
}

function all(nodes: readonly PayloadNode[]): PayloadNode[] {
  const found = [...nodes];
  for (let i = 0; i < found.length; i++) found.push(...childrenOf(found[i]!));
  return found;
}

function nodeAt(plan: PayloadPlan, pointer: string): PayloadNode {
  const node = all(plan.nodes).find((node) => node.pointer === pointer);
  assert.ok(node, `nothing at ${pointer}`);
  return node;
}

function titles(nodes: readonly PayloadNode[]): string[] {
  return nodes.map((node) => node.title);
}

/** Returns the text of every field by pointer. */
function texts(plan: PayloadPlan): Record<string, string> {
  return Object.fromEntries(all(plan.nodes).map((node) => [node.pointer, "text" in node ? node.text : node.kind]));
}

void test("keys become titles that people would write", () => {
  const payload = {
    customer_name: 1,
    customerName: 2,
    "order-id": 3,
    orderURL: 4,
    HTTPStatus: 5,
    "2026-10": 6,
    VAT: 7,
    "": 8,
  };
  assert.deepEqual(titles(plan(payload).nodes), [
    "Customer name",
    "Customer name",
    "Order ID",
    "Order URL",
    "HTTPStatus",
    "2026-10",
    "VAT",
    "(no name)",
  ]);
});

void test("a title comes from the hint, then from the schema at the place, and not from a type that places share", () => {
  const { nodes } = plan(
    { a: "x", b: "x", c: { d: 1 } },
    {
      payload_schema: {
        $defs: { Shared: { title: "Shared", description: "A type" } },
        properties: { a: { title: "Schema" }, b: { title: "Schema" }, c: { $ref: "#/$defs/Shared" } },
      },
      hints: { b: { "ui:title": "Hint", "ui:description": "Said by the hint", "ui:help": "Help" } },
    },
  );
  assert.deepEqual(titles(nodes), ["Schema", "Hint", "C"]);
  assert.equal(nodes[1]!.description, "Said by the hint");
  assert.equal(nodes[1]!.help, "Help");
  assert.equal(nodes[2]!.description, null);
});

void test("the items of a list share hints, or each has its own by its position", () => {
  const money = (currency: string) => ({ n: { "ui:widget": "currency", "ui:currency": currency } });
  const payload = {
    list: [
      { n: 1, deep: {} },
      { n: 2, deep: {} },
      { n: 3, deep: {} },
    ],
  };
  const shown = (items: unknown) => {
    const given = plan(payload, { hints: { list: { items } } });
    return [
      [0, 1, 2].map((i) => texts(given)[`/list/${i}/n`]),
      given.ignored.map(({ pointer, key }) => [pointer, key]),
    ];
  };
  assert.deepEqual(shown(money("EUR")), [["€1.00", "€2.00", "€3.00"], []]);
  assert.deepEqual(shown([money("EUR"), {}, money("USD")]), [["€1.00", "2", "US$3.00"], []]);
  assert.deepEqual(shown([{}, {}, {}, money("EUR")]), [["1", "2", "3"], [["/list/items", "3"]]]);
  assert.deepEqual(shown([{}, 7]), [["1", "2", "3"], [["/list/items", "1"]]]);
  assert.deepEqual(shown([{ m: {} }]), [["1", "2", "3"], [["/list/items/0", "m"]]]);
});

void test("hints of items that a page leaves out at first are not ignored", () => {
  const list = Array.from({ length: 600 }, (_, n) => ({ n, deep: [n] }));
  const hints = { list: { items: list.map((_, n) => ({ n: { "ui:title": `Number ${n}` } })) } };
  const { nodes, ignored } = plan({ list }, { hints, is_paged: true });
  assert.ok(nodes[0]?.kind === "list" && nodes[0].left_out > 0);
  assert.deepEqual(ignored, []);
});

void test("a change has the title of its hint, and both sides are shown as it says", () => {
  const hints = { after: { n: { "ui:title": "Price", "ui:widget": "currency", "ui:currency": "EUR" } } };
  const { nodes } = plan({ before: { n: 1 }, after: { n: 2 } }, { hints: { before: hints.after, ...hints } });
  const [change] = nodes[0]?.kind === "changes" ? nodes[0].rows : [];
  assert.equal(change?.title, "Price");
  assert.deepEqual(
    [change.before, change.after].map((side) => side && "text" in side && side.text),
    ["€1.00", "€2.00"],
  );
});

void test("fields come in the order of the schema, then of ui:order; what the schema does not know comes last", () => {
  const { nodes } = fixture("unknown");
  assert.deepEqual(titles(nodes), ["Note", "A", "B", "Nested", "Other data"]);
  assert.deepEqual(titles(childrenOf(nodes.at(-1)!)), ["Surprise"]);
  assert.deepEqual(titles(childrenOf(nodeAt(fixture("unknown"), "/nested"))), ["Known", "Other data"]);
});

void test("without a schema the order is that of the payload, and nothing is other data", () => {
  assert.deepEqual(titles(plan({ b: 1, a: 2 }).nodes), ["B", "A"]);
});

void test("keys such as __proto__ are data", () => {
  const payload = JSON.parse('{"__proto__":{"a":1},"constructor":"c","toString":2,"hasOwnProperty":[1]}') as unknown;
  const shown = plan(payload, { payload_schema: { properties: { a: { title: "A" } } }, hints: { a: {} } });
  assert.deepEqual(titles(childrenOf(shown.nodes[0]!)), ["Proto", "Constructor", "To string", "Has own property"]);
  assert.equal(Object.getPrototypeOf({}), Object.prototype);
  const hinted = plan({ a: 1 }, { hints: JSON.parse('{"__proto__":{"ui:widget":"hidden"},"constructor":{}}') });
  assert.deepEqual(titles(hinted.nodes), ["A"]);
  assert.equal(hinted.ignored.length, 2);
});

void test("numbers are written as people write them", () => {
  const { nodes } = fixture("scalars");
  const shown = Object.fromEntries(
    nodes.map((node) => [node.pointer.slice(1), "text" in node ? node.text : node.kind]),
  );
  assert.deepEqual(
    [shown["count"], shown["year"], shown["order_number"], shown["tiny"], shown["huge"]],
    ["1,234,567.5", "2026", "48219", "0.1", "1e+308"],
  );
  assert.deepEqual([shown["share"], shown["humidity"]], ["71%", "48%"]);
  assert.deepEqual([shown["weight"], shown["speed"]], ["12.5 kg", "7 parcels/h"]);
});

void test("an amount keeps every digit that was sent", () => {
  const hints = { a: { "ui:widget": "currency", "ui:options": { currency: "EUR" } } };
  const text = (a: unknown, locale?: string) => texts(plan({ a }, { hints, locale }))["/a"];
  assert.equal(text(1240), "€1,240.00");
  assert.equal(text(1240, "de-DE"), "1.240,00\u00A0€");
  assert.equal(text("19.999"), "€19.999");
  assert.equal(text("12345678901234567890.12"), "€12,345,678,901,234,567,890.12");
});

void test("a currency may be pointed to, in the payload or in the row of a table", () => {
  const money = (currency: string) => ({ "ui:widget": "currency", "ui:options": { currency } });
  const shown = plan(
    { code: "USD", total: 3, rows: [{ price: 1, currency: "JPY" }] },
    { hints: { total: money("/code"), rows: { items: { price: money("/currency") } } } },
  );
  assert.equal(texts(shown)["/total"], "US$3.00");
  assert.equal(texts(shown)["/rows/0/price"], "JP¥1");
  assert.deepEqual(shown.ignored, []);
});

void test("a time is local, says how long ago it was, and keeps the time in UTC", () => {
  const node = nodeAt(fixture("dates"), "/delivered");
  assert.ok(node.kind === "date-time");
  assert.equal(node.text, "12 Nov 2026, 14:20");
  assert.equal(node.full_text, "12 Nov 2026, 14:20 CET");
  assert.equal(node.relative, "8 days ago");
  assert.equal(node.utc, "2026-11-12 13:20:00 UTC");
});

void test("without the reader's zone a time says that it is in UTC", () => {
  assert.equal(texts(plan({ at: "2026-11-12T13:20:00+02:00" }))["/at"], "12 Nov 2026, 11:20 UTC");
});

void test("a time without a zone is shown as it is written, and claims no instant", () => {
  const node = nodeAt(fixture("dates"), "/without_a_zone");
  assert.ok(node.kind === "date-time");
  assert.deepEqual([node.text, node.relative, node.utc], ["20 Nov 2026, 09:30", null, null]);
});

void test("a day is the same day in every zone", () => {
  for (const time_zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
    assert.equal(texts(plan({ day: "2026-11-21" }, { time_zone }))["/day"], "21 Nov 2026");
});

void test("a day that does not exist is shown as the text it is", () => {
  assert.equal(nodeAt(fixture("dates"), "/not_a_day").kind, "text");
});

void test("a value is called as its schema calls it", () => {
  const shown = fixture("scalars");
  assert.equal(texts(shown)["/state"], "On hold");
  assert.equal(texts(shown)["/approved"], "Approved by the bank");
  assert.equal(texts(fixture("zod"))["/decision"], "Refund");
  const node = nodeAt(fixture("refund"), "/risk");
  assert.ok(node.kind === "choice");
  assert.deepEqual([node.text, node.value, node.tone], ["Elevated · 0.71", "elevated", "negative"]);
});

void test("schemas of pydantic and zod are looked through", () => {
  const pydantic = fixture("pydantic");
  assert.deepEqual(titles(pydantic.nodes), ["Billing address", "Shipping address", "Priority", "Pet", "Due", "Score"]);
  assert.deepEqual(titles(childrenOf(nodeAt(pydantic, "/pet"))), ["Kind", "Lives left"]);
  assert.equal(nodeAt(pydantic, "/shipping_address").kind, "empty");
  const zod = fixture("zod");
  assert.equal(nodeAt(zod, "/orderURL").kind, "link");
  assert.deepEqual(titles(childrenOf(nodeAt(zod, "/history"))), ["2026-10", "2026-11"]);
});

void test("only addresses of the web, mail and telephone can be followed", () => {
  const links = fixture("links");
  const follow = (key: string) => {
    const node = nodeAt(links, `/${key}`);
    return node.kind === "link" ? node.href : null;
  };
  assert.equal(follow("website"), "https://example.com/orders/48219?tab=items#top");
  assert.equal(follow("mail"), "mailto:johanna@example.com?subject=Refund");
  assert.equal(follow("phone"), "tel:+49301234567");
  assert.equal(follow("server"), null);
  assert.equal(follow("relative"), null);
  for (const address of [
    "javascript:alert(1)",
    " java\nscript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "blob:https://a/b",
    "//evil.example",
  ]) {
    const shown = plan(
      { a: address },
      { payload_schema: { properties: { a: { format: "uri" } } }, hints: { a: { "ui:widget": "link" } } },
    );
    assert.equal(shown.nodes[0]!.kind, "text", address);
    assert.equal(shown.ignored.length, 1);
  }
});

void test("where a link leads is said whenever its text does not say so plainly", () => {
  const host = (key: string) => {
    const node = nodeAt(fixture("links"), `/${key}`);
    return node.kind === "link" ? node.host : undefined;
  };
  assert.equal(host("website"), null);
  assert.equal(host("lookalike"), "xn--80ak6aa92e.com");
  assert.equal(host("with_a_user"), "evil.example");
});

void test("an image is shown where the schema or a hint says image, or where it is in the payload; never an SVG", () => {
  const images = fixture("images");
  const kind = (key: string) => nodeAt(images, `/${key}`).kind;
  assert.deepEqual(
    ["inline", "from_elsewhere", "not_asked_for", "base64"].map((key) => kind(key)),
    ["image", "image", "link", "image"],
  );
  const svg = plan({ a: "data:image/svg+xml;base64,PHN2Zz4=" }, { hints: { a: { "ui:widget": "image" } } });
  assert.equal(svg.nodes[0]!.kind, "file");
  const base64 = { properties: { a: { contentMediaType: "image/svg+xml", contentEncoding: "base64" } } };
  assert.equal(plan({ a: "PHN2Zz4=" }, { payload_schema: base64 }).nodes[0]!.kind, "file");
});

void test("a file in a text is told by its type and size, and not shown as its data", () => {
  const told = (value: string, payload_schema: unknown = {}) => {
    const [node] = plan({ a: value }, { payload_schema }).nodes;
    return "text" in node! ? node.text : null;
  };
  const svg = `<svg xmlns="http://www.w3.org/2000/svg">${"<g/>".repeat(3_000)}</svg>`;
  const base64 = Buffer.from(svg).toString("base64");
  assert.equal(told(`data:image/svg+xml;base64,${base64}`), "SVG image, 12 kB, not shown");
  assert.equal(told(`data:image/svg+xml;utf8,${encodeURIComponent(svg)}`), "SVG image, 12 kB, not shown");
  assert.equal(told(`data:application/pdf;base64,${"A".repeat(400)}`), "PDF file, 300 bytes, not shown");
  assert.equal(told(`data:text/csv;charset=utf-8,${"a,b\n".repeat(500)}`), "File (text/csv), 2 kB, not shown");
  const encoded = (type: string) => ({ properties: { a: { contentMediaType: type, contentEncoding: "base64" } } });
  assert.equal(told(base64, encoded("image/svg+xml")), "SVG image, 12 kB, not shown");
  assert.equal(told(base64, encoded("application/zip")), "File (application/zip), 12 kB, not shown");
  // Short texts, and texts that only begin like a data URI, are plain text.
  for (const text of ["data:text/plain,hello", "data: see the list", "database"]) assert.equal(told(text), text);
});

void test("flat objects are a table up to eight columns, wider ones a list, unless a hint asks", () => {
  const shown = fixture("wide-table");
  assert.deepEqual(
    shown.nodes.map((node) => node.kind),
    ["table", "list", "table", "table"],
  );
  const uneven = nodeAt(shown, "/uneven");
  assert.ok(uneven.kind === "table");
  assert.deepEqual(
    uneven.rows[1]!.map((cell) => (cell.kind === "empty" ? cell.what : cell.kind)),
    ["missing", "text", "null"],
  );
});

void test("columns come in the order of the items' schema, numbers are known as such, hidden ones are left out", () => {
  const shown = plan(
    { rows: [{ z: 1, a: "x", secret: 1 }] },
    {
      payload_schema: { properties: { rows: { items: { properties: { a: { title: "First" }, z: {}, secret: {} } } } } },
      hints: { rows: { items: { secret: { "ui:widget": "hidden" } } } },
    },
  );
  const table = shown.nodes[0]!;
  assert.ok(table.kind === "table");
  assert.deepEqual(table.columns, [
    { key: "a", title: "First", is_numeric: false },
    { key: "z", title: "Z", is_numeric: true },
  ]);
});

void test("a before and an after are one field", () => {
  const { nodes } = fixture("diff-text");
  assert.deepEqual(
    nodes.map((node) => [node.title, node.kind]),
    [
      ["Reason", "text"],
      ["Text", "diff"],
      ["Price", "diff"],
      ["Subject", "diff"],
    ],
  );
  assert.deepEqual(titles(plan({ before: 1, after: 2, why: "x" }).nodes), ["Before → after", "Why"]);
});

void test("of two objects only what was added, changed or removed is shown", () => {
  const [node] = fixture("diff-object").nodes;
  assert.ok(node?.kind === "changes");
  assert.deepEqual(
    node.rows.map((row) => `${row.change} ${row.title}`),
    [
      "changed Address › Street",
      "changed Payment terms",
      "removed Tags",
      "added Tags",
      "added Contacts › 3",
      "removed Contacts › 1",
      "removed Fax",
      "added Website",
    ],
  );
  assert.equal(node.unchanged, 6);
});

void test("a hint may ask for a diff of any two values, which are then shown once", () => {
  const { nodes, ignored } = fixture("diff-hint");
  assert.deepEqual(titles(nodes), ["Reply", "By"]);
  assert.ok(nodes[0]?.kind === "diff");
  assert.deepEqual(ignored, []);
});

void test("a hint of a diff that points to nothing is ignored, and nothing is lost", () => {
  const hints = { b: { "ui:widget": "diff", "ui:options": { before: "/gone", after: 3 } } };
  const { nodes, ignored } = plan({ a: 1, b: 2 }, { hints });
  assert.deepEqual(titles(nodes), ["A", "B"]);
  assert.deepEqual(ignored.map(({ key }) => key).toSorted(), ["ui:options.after", "ui:options.before", "ui:widget"]);
});

void test("passwords and what is only written are masked, also in tables and when they are objects", () => {
  const masked = fixture("masked");
  assert.deepEqual(
    masked.nodes.map((node) => node.kind),
    ["text", "masked", "masked", "masked", "table"],
  );
  const keys = nodeAt(masked, "/keys");
  assert.ok(keys.kind === "table");
  assert.deepEqual(keys.rows[0]!.map((cell) => cell.kind).toSorted(), ["masked", "text"]);
});

void test("hints that are wrong are listed and change nothing", () => {
  const { nodes, ignored } = fixture("wrong-hints");
  assert.deepEqual(
    nodes.map((node) => node.kind),
    ["text", "number", "chips", "empty"],
  );
  assert.deepEqual(ignored.map(({ pointer, key }) => `${pointer} ${key}`).toSorted(), [
    " gone",
    " text2",
    " ui:colour",
    " ui:order",
    "/amount ui:title",
    "/amount ui:widget",
    "/list ui:widget",
    "/text ui:options",
    "/text ui:widget",
  ]);
  for (const hints of [5, "x", [], true]) assert.equal(plan({ a: 1 }, { hints }).ignored.length, 1);
});

void test("a wrong hint for the rows of a table is listed once", () => {
  const hints = { rows: { items: { a: { "ui:widget": "image" } } } };
  assert.equal(plan({ rows: [{ a: 1 }, { a: 2 }, { a: 3 }] }, { hints }).ignored.length, 1);
});

void test("of more than 200 kB the long parts are counted, and the short ones shown", () => {
  const large = fixture("large");
  assert.equal(large.is_too_large, true);
  assert.deepEqual(texts(large)["/orders"], "3000 entries");
  assert.deepEqual(
    all(large.nodes).map(({ pointer }) => pointer),
    ["/subject", "/total", "/body", "/orders", "/settings", "/settings/dark"],
  );
});

void test("a photo in a payload does not make it too large", () => {
  const photo = `data:image/png;base64,${"A".repeat(300_000)}`;
  const shown = plan({ photo, order: { id: 1 } });
  assert.equal(shown.is_too_large, false);
  assert.deepEqual(
    shown.nodes.map((node) => node.kind),
    ["image", "group"],
  );
});

void test("a plan has an end, and says how much it leaves out", () => {
  const wide = plan(Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`k${i}`, i])));
  assert.equal(wide.nodes.length, 5_001);
  assert.equal(texts(wide)[""], "4000 more fields");
  const [list] = plan({ list: Array.from({ length: 3_000 }, (_, i) => i) }).nodes;
  assert.ok(list?.kind === "chips");
  assert.deepEqual([list.items.length, list.left_out], [500, 2_500]);
  const [text] = plan({ text: "x".repeat(150_000) }).nodes;
  assert.ok(text?.kind === "text");
  assert.deepEqual([text.text.length, text.left_out], [100_000, 50_000]);
});

void test("a plan stays small, however long keys, titles and descriptions are", () => {
  const long = "x".repeat(100_000);
  const rows = Array.from({ length: 300 }, (_, i) => ({ deeper: { i, state: "a", yes: true } }));
  const properties = {
    i: { title: long, description: long },
    state: { oneOf: [{ const: "a", title: long }] },
    yes: { oneOf: [{ const: true, title: long }] },
  };
  const schema = { additionalProperties: { items: { properties: { deeper: { description: long, properties } } } } };
  for (const key of ["rows", long]) {
    const shown = plan({ [key]: rows }, { payload_schema: schema, hints: { [key]: { "ui:help": long, [long]: 1 } } });
    const size = JSON.stringify(shown).length;
    assert.ok(size < 8_000_000, `${size} characters`);
    assert.ok(all(shown.nodes).every(({ description, help }) => `${description}${help}`.length < 2_010));
  }
});

void test("20,000 levels of objects, lists or changes are shown as far as one can read", () => {
  const nest = (wrap: (inner: unknown) => unknown) => {
    let value: unknown = 1;
    for (let i = 0; i < 20_000; i++) value = wrap(value);
    return value;
  };
  const values = [
    nest((a) => ({ a })),
    nest((a) => [a]),
    nest((after) => ({ before: 1, after })),
    nest((a) => [{ a }]),
  ];
  for (const value of values) {
    assert.ok(all(plan({ value }).nodes).length < 100);
    assert.ok(all(plan({ before: value, after: [value] }).nodes).length < 100);
    assert.ok(all(plan({ value }, { hints: { value: { "ui:widget": "json" } } }).nodes).length === 1);
    assert.equal(plan({ a: 1 }, { hints: value, payload_schema: value }).nodes.length, 1);
  }
});

void test("schemas that are made to hurt do not", () => {
  for (const { schema, value, name } of HOSTILE_CASES) {
    const { nodes } = plan({ value: value() }, { payload_schema: { properties: { value: schema() } } });
    assert.equal(nodes.length > 0, true, name);
    plan(value(), { payload_schema: schema() });
  }
});

void test("however many branches a schema has, only so many are looked at", () => {
  let looks = 0;
  const branches = Array.from({ length: 4_900 }, () => ({
    get type() {
      looks += 1;
      return "string";
    },
  }));
  const items = { anyOf: branches };
  const list = Array.from({ length: 500 }, (_, i) => ({ i, deeper: {} }));
  plan({ list }, { payload_schema: { properties: { list: { items } } } });
  assert.ok(looks <= 400_000, `${looks} looks`);
});

void test("a recursive schema describes each level of the payload, and ends", () => {
  const shown = fixture("recursive");
  assert.equal(nodeAt(shown, "/children/1/children/0/label").title, "Name of the node");
});

void test("a language or a time zone that does not exist is replaced by a usual one", () => {
  const shown = plan(
    { at: "2026-11-12T13:20:00Z", n: 12_345 },
    { locale: "no such language", time_zone: "Mars/Olympus" },
  );
  assert.deepEqual(texts(shown), { "/at": "12 Nov 2026, 13:20 UTC", "/n": "12,345" });
});

void test("every payload has a plan, whatever its schema and its hints are", () => {
  const widget = fc.constantFrom(
    "text",
    "markdown",
    "code",
    "json",
    "table",
    "image",
    "link",
    "currency",
    "percent",
    "date",
    "hidden",
    "diff",
  );
  const hint = fc.letrec((tie) => ({
    place: fc.dictionary(
      fc.constantFrom(
        "a",
        "b",
        "x/y",
        "items",
        "__proto__",
        "ui:widget",
        "ui:order",
        "ui:options",
        "ui:enumNames",
        "ui:before",
      ),
      fc.oneof(
        { maxDepth: 4 },
        widget,
        anyValue,
        tie("place"),
        fc.constant({ currency: "/a", before: "/b", after: "/a" }),
      ),
    ),
  })).place;
  fc.assert(
    fc.property(anyValue, anySchema(10), fc.oneof(hint, anyValue), (payload, payload_schema, hints) => {
      const shown = plan(payload, { payload_schema, hints, time_zone: "Europe/Berlin" });
      assert.deepEqual(JSON.parse(JSON.stringify(shown)), shown);
      assert.ok(all(shown.nodes).length < 6_000);
    }),
    { numRuns: 2_000 },
  );
});

void test("every field of a payload is somewhere in its plan", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 8 }), anyValue), anySchema(), (payload, payload_schema) => {
      const pointers = new Set(all(plan(payload, { payload_schema }).nodes).map((node) => node.pointer));
      for (const key of Object.keys(payload))
        assert.ok(pointers.has(`/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`), key);
    }),
    { numRuns: 500 },
  );
});

void test("of an object with more keys than can be shown, those that the schema and the hints name are shown, and the rest is counted", () => {
  const payload = Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [`k${i}`, i]));
  const plan = planPayload({
    payload,
    payload_schema: { properties: { k11999: { title: "Named by the schema" } } },
    hints: { k11998: { "ui:title": "Named by a hint" }, "ui:order": ["k11997", "*"] },
    now: new Date(0),
  });
  assert.deepEqual(
    plan.nodes.slice(0, 3).map(({ title }) => title),
    ["K11997", "Named by the schema", "Named by a hint"],
  );
  const last = plan.nodes.at(-1)!;
  // 5,000 keys are read.
  assert.equal(last.kind === "too_large" && last.text, "7000 more fields");
});

void test("a hint for a change names its sides by pointers, also where a key has a slash or a tilde in it", () => {
  const plan = planPayload({
    payload: { change: null, "a/b": "old", "c~d": "new", other: 1 },
    hints: { change: { "ui:widget": "diff", "ui:options": { before: "/a~1b", after: "/c~0d" } } },
    now: new Date(0),
  });
  assert.deepEqual(
    plan.nodes.map(({ pointer }) => pointer),
    ["/change", "/other"],
  );
});

void test("hints for the rows of a long list cost no more than a plan may, described or not", () => {
  const order = Array.from({ length: 1_900 }, (_, i) => `none_${i}`);
  let looks = 0;
  const row = () =>
    new Proxy(
      { a: { b: 1 } },
      {
        getOwnPropertyDescriptor: (target, key) => {
          looks++;
          return Reflect.getOwnPropertyDescriptor(target, key);
        },
      },
    );
  const described = { properties: { list: { items: { properties: { a: {}, c: {} } } } } };
  const named = Object.fromEntries(order.map((key) => [key, {}]));
  // Each row would look up 1,900 hints, and in the end each name of the order.
  for (const [payload_schema, items, looksMax] of [
    [{}, named, 10_000],
    [described, named, 60_000],
    [described, { "ui:order": order, ...named }, 260_000],
  ] as const) {
    looks = 0;
    planPayload({
      payload: { list: Array.from({ length: 500 }, row) },
      payload_schema,
      hints: { list: { items } },
      now: new Date(0),
    });
    assert.ok(looks < looksMax, `${looks} looks`);
  }
});
