import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPress, entriesOfPost, parsePress, textOfPress, token } from "./entries.ts";
import type { Entries, Press } from "./entries.ts";
import { entriesOf } from "./plan.ts";
import { objectOf, tryForm } from "../fixtures/try-form.ts";

const plain = (entries: Entries): Record<string, readonly string[]> => ({ ...entries });

void test("a posted form is read as it was entered", () => {
  assert.deepEqual(plain(entriesOfPost("/a=1%0D%0A2&/b=x&/b=y&/c=")), { "/a": ["1\n2"], "/b": ["x", "y"], "/c": [""] });
  const odd = entriesOfPost("__proto__=a&constructor=b");
  assert.deepEqual(Object.entries(odd), [
    ["__proto__", ["a"]],
    ["constructor", ["b"]],
  ]);
});

void test("names are escaped so that each leads back to its field", () => {
  assert.deepEqual([token("a/b"), token("a~b"), token("~1"), token(0)], ["a~1b", "a~0b", "~01", "0"]);
});

void test("a button says what it does, and nothing else is taken for one", () => {
  const presses: Press[] = [
    { act: "add", name: "/a:b" },
    { act: "close", name: "" },
    { act: "remove", name: "/a", row: 12 },
  ];
  for (const press of presses) assert.deepEqual(parsePress(textOfPress(press)), press);
  for (const text of ["", "add", "remove:/a", "remove:01:/a", "remove:-1:/a", "remove:10000:/a", "destroy:/a"])
    assert.equal(parsePress(text), null, text);
});

void test("a row that is removed takes along what belongs to it, and the rows behind it move up", () => {
  const before = {
    "/l/0": ["a"],
    "/l/1~key": ["k1"],
    "/l/1": ["b"],
    "/l/2~key": ["k2"],
    "/l/2/x\ny": ["c"],
    "/l/10/0": ["d"],
    "/l~rows": ["11"],
    "/l/x": ["other"],
    "/l2/1": ["other"],
    "/other": ["other"],
  };
  assert.deepEqual(plain(applyPress(before, { act: "remove", name: "/l", row: 1 }, 11)), {
    "/l/0": ["a"],
    "/l/1~key": ["k2"],
    "/l/1/x\ny": ["c"],
    "/l/9/0": ["d"],
    "/l~rows": ["10"],
    "/l/x": ["other"],
    "/l2/1": ["other"],
    "/other": ["other"],
  });
  assert.deepEqual(plain(applyPress({}, { act: "remove", name: "/l", row: 0 }, 0)), { "/l~rows": ["0"] });
  assert.deepEqual(plain(applyPress({}, { act: "add", name: "/l" }, 2)), { "/l~rows": ["3"] });
});

void test("what is removed or cleared leaves nothing behind, and takes nothing else along", () => {
  const entries = {
    "/a": ["1"],
    "/a/b": ["2"],
    "/a~form": ["0"],
    "/a~open": ["1"],
    "/ab": ["3"],
    "/a~1": ["4"],
    "/c": ["5"],
  };
  const kept = { "/ab": ["3"], "/c": ["5"] };
  const closed = plain(applyPress(entries, { act: "close", name: "/a" }));
  assert.deepEqual(
    { "/a~open": closed["/a~open"], "/a": closed["/a"], "/a/b": closed["/a/b"] },
    {
      "/a~open": ["0"],
      "/a": undefined,
      "/a/b": undefined,
    },
  );
  assert.deepEqual({ ...kept, ...closed }, closed);
  const cleared = plain(applyPress(entries, { act: "clear", name: "/a" }));
  assert.deepEqual([cleared["/a"], cleared["/a/b"], cleared["/a~form"]], [[], undefined, undefined]);
  assert.deepEqual({ ...kept, ...cleared }, cleared);
  assert.deepEqual(applyPress(entries, { act: "update", name: "" }), entries);
});

void test("a field whose name begins like a group's keeps what was entered", () => {
  const group = objectOf({ x: { type: "string" } }, "x");
  const schema = objectOf({ a: group, "a~b": { type: "string" }, "a/b": { type: "string" } });
  const entries = { "/a~open": ["1"], "/a/x": ["1"], "/a~0b": ["2"], "/a~1b": ["3"] };
  const closed = applyPress(entries, { act: "close", name: "/a" });
  assert.deepEqual(tryForm(schema, { entries: closed }).plan.value, { "a~b": "2", "a/b": "3" });
});

void test("whoever writes JSON instead starts from the answer so far, and can go back", () => {
  const schema = objectOf({ a: { type: "string" }, g: objectOf({ b: { type: "string" } }, "b") }, "a");
  const hints = { ui: { "ui:readonly": true, "ui:widget": "hidden" } };
  const entries = { "/a": ["x"] };
  const asJson = applyPress(entries, { act: "json", name: "" });
  const json = tryForm(schema, { entries: asJson, hints });
  assert.deepEqual([json.plan.isJson, json.at("").entry, json.at("").hidden], [true, ['{\n  "a": "x"\n}'], false]);
  const written = { ...entriesOf(json.plan), "~json": ['{"a": "y"}'] };
  assert.deepEqual(tryForm(schema, { entries: written, hints }).plan.value, { a: "y" });
  const back = applyPress({ ...written, ...entries }, { act: "form", name: "" });
  assert.deepEqual(tryForm(schema, { entries: back }).plan.value, { a: "x" });
  assert.deepEqual(tryForm(schema, { entries: applyPress(back, { act: "json", name: "" }) }).plan.value, { a: "x" });
});

void test("what an untouched page posts is all that it shows, and nothing that is hidden", () => {
  const schema = objectOf({
    id: { type: "string", default: "i" },
    __proto__x: { type: "string" },
    list: { type: "array", items: { type: "string" }, default: ["a"] },
    group: objectOf({ a: { type: "string" } }, "a"),
    any: {},
  });
  const { plan } = tryForm(schema, { hints: { ui: { id: { "ui:widget": "hidden" } } } });
  assert.deepEqual(plain(entriesOf(plan)), {
    "/__proto__x": [],
    "/list~rows": ["1"],
    "/list/0": ["a"],
    "/group~open": ["0"],
    "/any~json": [],
  });
});
