import assert from "node:assert/strict";
import { test } from "node:test";
import { FIXTURE_NOW, PAYLOAD_FIXTURES } from "../fixtures/payloads.ts";
import { planMore } from "./more.ts";
import type { PayloadNode, Shown } from "./node.ts";
import { planPayload } from "./payload.ts";
import type { PayloadInput } from "./payload.ts";

function inputOf(payload: unknown, more: Partial<PayloadInput> = {}): PayloadInput {
  return { payload, now: FIXTURE_NOW, time_zone: "UTC", is_paged: true, ...more };
}

/** Returns the texts that a person can read after opening every section and requesting every page. */
function readAll(input: PayloadInput): { texts: string[]; steps: number; largest: number } {
  const texts: string[] = [];
  let steps = 0;
  let largest = 0;
  const look = (nodes: readonly PayloadNode[]): void => {
    const open: PayloadNode[] = nodes.toReversed();
    let size = 0;
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      size += 1;
      open.push(...insideOf(node).toReversed());
      if (node.kind === "too_large") show(node, node.next ?? 0);
      else if ("text" in node && node.kind !== "json") texts.push(pagesOf(node));
      else if ("left_out" in node && node.next !== undefined) show(node, node.next);
    }
    largest = Math.max(largest, size);
  };
  const show = ({ pointer, title, description, help, kind, ...rest }: PayloadNode, start: number): void => {
    steps += 1;
    const place = { pointer, title, description, help };
    const shown = planMore(input, { ...place, kind, ...rest } as PayloadNode, start);
    assert.ok(shown !== null, pointer);
    look([{ ...place, ...shown }]);
  };
  const pagesOf = (node: PayloadNode & { text: string }): string => {
    let [text, page]: [string, Shown] = [node.text, node];
    while ("left_out" in page && page.next !== undefined) {
      page = planMore(input, node, page.next)!;
      assert.ok("text" in page && page.text !== "", node.pointer);
      text += page.text;
    }
    return text;
  };
  look(planPayload(input).nodes);
  return { texts, steps, largest };
}

function insideOf(node: PayloadNode): readonly PayloadNode[] {
  switch (node.kind) {
    case "chips":
    case "list":
      return node.items;
    case "table":
      return node.rows.flat();
    case "group":
    case "tree":
      return node.children;
    case "diff":
      return [node.before, node.after].filter((side) => side !== null);
    case "changes":
      return node.rows.flatMap(({ before, after }) => [before, after]).filter((side) => side !== null);
    case "masked":
      return [node.inner];
    default:
      return [];
  }
}

const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const LARGE: Readonly<Record<string, unknown>> = {
  "a table": { note: "n", rows: numbered(4_000, (i) => ({ name: `row ${i}`, text: "of some length ".repeat(3) })) },
  "a list at the top": numbered(3_000, (i) => ({ name: `item ${i}`, inner: { text: "of some length ".repeat(4) } })),
  "many fields": Object.fromEntries(numbered(12_000, (i) => [`field_${i}`, `value ${i} of some length`])),
  "fields in a field": {
    map: Object.fromEntries(numbered(7_000, (i) => [`k${i}`, { at: `${i}`, why: "x".repeat(30) }])),
  },
  "one text": { text: numbered(30_000, (i) => `word${i}`).join(" ") },
  "sections in sections": {
    a: {
      b: {
        c: numbered(3, (i) => ({
          d: { e: numbered(900, (j) => `${i} and ${j}, which goes on for a while ${"y".repeat(60)}`) },
        })),
      },
    },
  },
  "a short list of long texts": { texts: numbered(4, (i) => `${i}${"z".repeat(90_000)}`) },
};

function leaves(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.values(value).flatMap(leaves);
}

void test("all of a payload of any size can be read, by its sections and their pages", () => {
  for (const [name, payload] of Object.entries(LARGE)) {
    const { texts, largest } = readAll(inputOf(payload));
    assert.deepEqual(texts.filter((text) => text !== "").toSorted(), leaves(payload).toSorted(), name);
    // The first view stays small.
    assert.ok(largest <= 1_200, `${name}: ${largest} nodes at once`);
  }
});

void test("all entries of a list that is too long for one plan can be read, although its payload is small", () => {
  const payload = {
    ids: numbered(2_000, (i) => `id ${i}`),
    rows: numbered(1_200, (i) => ({ a: `a${i}`, b: `b${i}` })),
  };
  const { texts, steps } = readAll(inputOf(payload));
  assert.deepEqual(texts.toSorted(), leaves(payload).toSorted());
  // 100 more each time: 20 of 2,000 and 50 of 1,200 are there from the start.
  assert.equal(steps, 20 + 12);
});

void test("all changes between two lists can be read", () => {
  const before = numbered(700, (i) => ({ id: `${i}`, state: `old ${i}` }));
  const after = numbered(700, (i) => ({ id: `${i}`, state: `new ${i}` }));
  const { texts } = readAll(inputOf({ before, after }));
  assert.deepEqual(
    texts.toSorted(),
    numbered(700, (i) => [`old ${i}`, `new ${i}`])
      .flat()
      .toSorted(),
  );
});

void test("a page of a list has the titles, hints and formats of the list", () => {
  const payload = { rows: numbered(3_000, (i) => ({ cost: i, when: "2026-11-20T13:20:00Z", secret: "s".repeat(60) })) };
  const payload_schema = { properties: { rows: { items: { properties: { secret: { format: "password" } } } } } };
  const hints = {
    rows: { items: { cost: { "ui:title": "Price", "ui:widget": "currency", "ui:options": { currency: "EUR" } } } },
  };
  const input = inputOf(payload, { payload_schema, hints, locale: "en" });
  const [rows] = planPayload(input).nodes;
  assert.equal(rows?.kind, "too_large");
  const opened = planMore(input, rows, 0)!;
  assert.ok(opened.kind === "table" && opened.next === 50);
  const page = planMore(input, { ...rows, ...opened }, 50)!;
  assert.ok(page.kind === "table" && page.next === 150 && page.left_out === 2_850);
  assert.deepEqual(
    page.rows[0]?.map(({ title, kind }) => [title, kind]),
    [
      ["Secret", "masked"],
      ["Price", "currency"],
      ["When", "date-time"],
    ],
  );
  assert.equal(page.rows[0]?.[1]?.pointer, "/rows/50/cost");
});

void test("JSON that is cut off goes on where it ended", () => {
  const value = { deep: numbered(9_000, (i) => `entry ${i}`) };
  const input = inputOf({ value }, { hints: { value: { "ui:widget": "json" } } });
  const [node] = planPayload(input).nodes;
  assert.ok(node?.kind === "json");
  let [text, page]: [string, Shown] = [node.text, node];
  while ("next" in page && page.next !== undefined) {
    page = planMore(input, node, page.next)!;
    assert.ok(page.kind === "json");
    text += page.text;
  }
  assert.deepEqual(JSON.parse(text), value);
});

void test("a side of a change that a row names goes on in its row", () => {
  const long = numbered(30_000, (i) => `w${i}`).join(" ");
  const payload = { before: "another", row: { before: long, now: "short", change: null } };
  const hints = { row: { change: { "ui:widget": "diff", "ui:options": { before: "/before", after: "/now" } } } };
  // The payload itself has a value at /before. In its row, only `now` exists.
  const { texts } = readAll(inputOf(payload, { hints }));
  assert.ok(texts.includes("short"));
  const plan = planPayload(inputOf({ row: payload.row }, { hints }));
  const row = plan.nodes[0]!;
  const change = row.kind === "group" ? row.children.find(({ kind }) => kind === "diff") : undefined;
  assert.ok(change?.kind === "diff" && change.before?.kind === "text" && change.before.next !== undefined);
  const page = planMore(inputOf({ row: payload.row }, { hints }), change.before, change.before.next)!;
  assert.ok("text" in page && long.startsWith(change.before.text + page.text));
});

void test("a plan says whether something is left out of it", () => {
  const isPartial = (name: string) => planPayload({ ...PAYLOAD_FIXTURES[name]!, now: FIXTURE_NOW }).is_partial;
  assert.deepEqual(["refund", "large", "many-rows", "masked"].map(isPartial), [false, true, false, false]);
});
