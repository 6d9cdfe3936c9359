import assert from "node:assert/strict";
import { test } from "node:test";
import { highlight } from "./highlight.ts";

const parts = (text: string, language: string) =>
  highlight(text, language)!.flatMap(({ kind, text: part }) => (kind === null ? [] : [`${kind} ${part}`]));

void test("comments, texts, numbers and words of a language are found", () => {
  assert.deepEqual(parts("if (a1 > 0x1f) { /* if\n */ return `x\n${y}`; } // end", "TS"), [
    "word if",
    "number 0x1f",
    "comment /* if\n */",
    "word return",
    "string `x\n${y}`",
    "comment // end",
  ]);
  assert.deepEqual(parts('def f():\n  """if\n1"""\n  return None # no', "python"), [
    "word def",
    'string """if\n1"""',
    "word return",
    "word None",
    "comment # no",
  ]);
  assert.deepEqual(parts('{"a": [1.5, true, "x\\"y"]}', "json"), [
    'string "a"',
    "number 1.5",
    "word true",
    'string "x\\"y"',
  ]);
  assert.deepEqual(parts("SELECT 'it''s'", "sql"), ["word SELECT", "string 'it'", "string 's'"]);
  // An address is no comment, and an apostrophe in a sentence begins no text.
  assert.deepEqual(parts("url: https://example.com/#a", "yaml"), []);
  assert.deepEqual(parts("x = don't\ny", "java"), []);
});

void test("nothing of a source is lost or added", () => {
  for (const text of ["", "a /* b", '"unclosed', "'''", "é ünï 𝒳 = 5;\r\n", "\\", '"\\'])
    for (const language of ["ts", "python", "sql", "sh", "json", "css", "ruby", "go", "yaml"])
      assert.equal(
        highlight(text, language)!
          .map((token) => token.text)
          .join(""),
        text,
        `${language}: ${text}`,
      );
});

void test("an unknown language and a very long source stay plain", () => {
  for (const language of ["brainfuck", "constructor", "__proto__", "", null])
    assert.equal(highlight("if", language), null);
  assert.equal(highlight("x".repeat(50_001), "ts"), null);
});

void test("a hostile source takes no longer than others", () => {
  for (const piece of ["/*", '\\"', '"', "'", '"""', "`", "#", "a", "1.", "\\", "/", "--"]) {
    const begun = performance.now();
    highlight(piece.repeat(50_000 / piece.length), "python");
    highlight(piece.repeat(50_000 / piece.length), "ts");
    const took = performance.now() - begun;
    assert.ok(took < 500, `${piece}: ${took} ms`);
  }
});
