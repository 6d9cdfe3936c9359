import assert from "node:assert/strict";
import { test } from "node:test";
import { readSearch } from "./search-terms.ts";

const text = (...texts: string[]) => texts.map((one) => ({ kind: "text", text: one }));

test("words are separate terms, and quotes keep words together", () => {
  assert.deepEqual(readSearch("  refund\tMia "), text("refund", "Mia"));
  assert.deepEqual(readSearch('"to Mia" now'), text("to Mia", "now"));
  assert.deepEqual(readSearch('"to Mia'), text("to Mia"), "a quote that is not closed yet");
  assert.deepEqual(readSearch('5" nails'), text('5"', "nails"), "a quote within a word is a character");
  assert.deepEqual(readSearch('"" " "'), []);
  assert.deepEqual(readSearch(""), []);
});

test("from, by, label and is take what follows, in any case and with quotes", () => {
  assert.deepEqual(readSearch('from:refunds by:"Dana Ek" LABEL:vip Is:Sent-Back late'), [
    { kind: "from", text: "refunds" },
    { kind: "by", text: "Dana Ek" },
    { kind: "label", text: "vip" },
    { kind: "is", state: "sent-back" },
    { kind: "text", text: "late" },
  ]);
});

test("what is not known is a word, and a term without a value says nothing yet", () => {
  assert.deepEqual(readSearch("is:late order:17 http://x"), text("is:late", "order:17", "http://x"));
  assert.deepEqual(readSearch('from:"" by:"'), []);
  assert.deepEqual(readSearch("by: dana"), text("by:", "dana"));
});

test("a long text is a few words and one rest", () => {
  const words = Array.from({ length: 40 }, (_, i) => `w${i}`);
  const terms = readSearch(words.join("  "));
  assert.deepEqual(terms, text(...words.slice(0, 11), words.slice(11).join("  ")));
});
