import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cutText, oneLine, plainLines, splitText } from "./plain-text.ts";

void test("a line is one line, whatever ends lines in it, and shows all that it says", () => {
  assert.equal(oneLine(" a\r\nb\tc\u2028d\u2029e\u0085f\vg "), "a b c d e f g");
  assert.equal(
    oneLine("invoice-\u202Efdp.exe \u2067x\u2069 pay\u200Bpal\u0000\u0007\uFEFF"),
    "invoice-fdp.exe x paypal",
  );
  assert.equal(oneLine("half \uD800 a pair"), "half \uFFFD a pair");
  assert.equal(oneLine(`Z${"\u0335".repeat(99)}algo`), `Z${"\u0335".repeat(8)}algo`);
  assert.equal(oneLine("👩‍👩‍👧‍👦 می‌خواهم"), "👩‍👩‍👧‍👦 می‌خواهم", "what joins characters stays");
});

void test("a text keeps its lines and paragraphs, and no more room than they need", () => {
  assert.equal(plainLines("\n one\r\ntwo\u2028\u202Ethree\n\n\n\n\nfour \n"), "one\ntwo\nthree\n\nfour");
});

void test("a text is cut between words, never within a character, and says that it was", () => {
  assert.equal(cutText("short", 5), "short");
  assert.equal(cutText("one two three four", 12), "one two...");
  assert.equal(cutText("one twothreefourfive", 12), "one twoth...");
  assert.equal(cutText("👩‍👩‍👧‍👦".repeat(9), 8), `${"👩‍👩‍👧‍👦".repeat(5)}...`);
  assert.deepEqual(splitText("one two three", 7), ["one two", "three"]);
  assert.deepEqual(splitText("all of it", 9), ["all of it", ""]);
});

void test("any text is cut at the same perceived character, whether or not it has only simple letters", () => {
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  const letters = fc.string({ unit: fc.constantFrom("a", "Z", "7", "é", "ł", "©", "\u00AD"), maxLength: 6 });
  const others = fc.constantFrom("a", "é", "\u0301", "\u200D", "\uFE0F", "👍", "\u{1F3FD}", "가", "\r", "\n");
  // A text of more than 16 units for each character is cut within one.
  const rest = fc.string({ unit: others, maxLength: 5 });
  fc.assert(
    fc.property(letters, rest, fc.integer({ min: 1, max: 8 }), (first, second, max) => {
      const text = first + second;
      const perceived = [...segmenter.segment(text)].slice(0, max).map(({ segment }) => segment);
      const [start, end] = splitText(text, max);
      const whole = perceived.join("");
      // Only blanks between both may go, and texts without blanks are not cut earlier.
      if (!/\s/.test(text)) assert.deepEqual([start, end], [whole, text.slice(whole.length)]);
      assert.ok(whole.startsWith(start) || whole.trimEnd().startsWith(start));
    }),
  );
});

void test("a character without end is cut as well", () => {
  const heap = `Z${"\u0335".repeat(10_000)}`;
  assert.ok(cutText(heap, 78).length <= 78 * 16 + 3);
  assert.ok(cutText("😀".repeat(10_000), 5).isWellFormed());
  assert.ok(cutText(`Z\u0335${"\u{1F3FB}".repeat(10_000)}`, 5).isWellFormed());
});
