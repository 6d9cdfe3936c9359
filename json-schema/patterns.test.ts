import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { patternProblem } from "./pattern-syntax.ts";
import { linearMatcher } from "./patterns.ts";
import { translatePattern } from "./translate-pattern.ts";

function ours(pattern: string, text: string): boolean | undefined {
  return linearMatcher()({ left: 10_000_000 }, pattern, text);
}

const TEXTS = [
  "",
  "a",
  "b",
  "ab",
  "aB1_",
  "-",
  "]",
  "^",
  "\\",
  "/",
  "\n",
  "\r",
  "\u2028",
  "\u2029",
  "\u00a0",
  "\ufeff",
  "\u0085",
  "\u180e",
  "\u000b",
  "\t",
  "\0",
  "\b",
  "é",
  "ß",
  "Ω",
  "я",
  "٣",
  "😀",
  "\ud83d",
  "\ude00",
  "a\nb",
  "a b",
  "line\r\n",
  "x{2}",
  "[:alpha:]",
  "\u0001",
  "ſ",
  "K",
];

/** Each pattern must match the same texts in RE2 and in the platform's engine with flag `u`. */
const PATTERNS = String.raw`
^$ .  ^.$ ^[^]$ [] [^] \d \D ^\d+$ \w \W ^\w+$ \s \S ^\s$ ^\S$ [\s] [^\s] [\S] [^\S] [\s\d] [\D] [^\W_] [\d\-x]
\t \n \v \f \r \0 \cA \cj \x41 \u0041 \u{41} \u{1F600} \ud83d\ude00 \ud83d \ude00 [\ud83d\ude00] [\u{1f600}-\u{1f64f}]
\/ [\-] [a\-z] [a-z] [-a] [a-] [\b] \b \B ^\b ab\b [\]] [\\] [\^] \^ \$ \. \* \+ \? \( \) \[ \] \{ \} \|
[[:alpha:] [[] [&&a] [.] [$] [a^] (?:a|b)+ (a)(b)? (?<name>a)b a|^b$ ^a|b ^(?:a|b)$ a*? a+? a?? a{2} a{1,} a{0,3}? a{0}
\p{L} \P{L} \p{Lu} ^\p{Letter}$ \p{Uppercase_Letter} \p{General_Category=Decimal_Number} \p{gc=Nd} \p{Script=Greek} \p{sc=Cyrillic}
[\p{L}\d] [^\p{L}] [\P{L}] \p{ASCII} \P{ASCII} [\P{ASCII}a] \p{Any} \p{Cn} \p{Emoji} \p{Script_Extensions=Greek} \p{Alphabetic}
^(?=.*\d)(?=.*[a-z]).+$ ^(?!a).* ^(?!.*b)a ^(?=a)b|a ^(?=a|b).$ (?=a)a a(?!b) (?<=a)b (?<!a)b (a)\1 (?<n>a)\k<n>
^(?![^]*\n)[^]+$ ^(?=(?:a|b)+$)[^b]* ^ $ ^^a$$ (?:) a(?:) (|a) (a|) x{1001} (?:a{500}){500} (?:(?:a?)*)* (?:a*)*b ^[^\n]*$
`
  .trim()
  .split(/\s+/);

test("a translated pattern means what it means in ECMA-262", () => {
  for (const pattern of PATTERNS) {
    const native = new RegExp(pattern, "u");
    for (const text of TEXTS) {
      const answer = ours(pattern, text);
      if (answer !== undefined) assert.equal(answer, native.test(text), `/${pattern}/u on ${JSON.stringify(text)}`);
    }
  }
});

test("only what RE2 has no words for is left to the host", () => {
  const left = PATTERNS.filter((pattern) => ours(pattern, "a") === undefined);
  assert.deepEqual(left, [
    String.raw`\p{Emoji}`,
    String.raw`\p{Script_Extensions=Greek}`,
    String.raw`\p{Alphabetic}`,
    "^(?=a)b|a",
    "(?=a)a",
    "a(?!b)",
    "(?<=a)b",
    "(?<!a)b",
    String.raw`(a)\1`,
    String.raw`(?<n>a)\k<n>`,
    "x{1001}",
    "(?:a{500}){500}",
  ]);
});

const atom = fc.oneof(
  fc.constantFrom("a", "b", ".", "\\d", "\\w", "\\s", "\\S", "[ab]", "[^a]", "[\\w-]", "\\b", "^", "$", "\\u{1F600}"),
  fc.constantFrom("\\p{L}", "[^\\s\\p{Nd}]", "(?=a)", "(?!b)"),
);
const pattern = fc.letrec<{ part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc.tuple(tie("part"), tie("part")).map(([a, b]) => a + b),
    fc.tuple(tie("part"), tie("part")).map(([a, b]) => `${a}|${b}`),
    fc
      .tuple(tie("part"), fc.constantFrom("", "*", "+", "?", "{2}", "{0,2}", "*?"))
      .map(([a, times]) => `(?:${a})${times}`),
    fc.tuple(tie("part"), fc.constantFrom("*", "?")).map(([a, times]) => `(${a})${times}`),
  ),
})).part;

test("random patterns on random texts agree with the platform's engine", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "1", " ", "\n", "-", "é", "😀", "_"), maxLength: 5 });
  fc.assert(
    fc.property(fc.tuple(fc.constantFrom("", "^", "^(?=.*a)", "^(?!b)"), pattern), text, ([start, rest], subject) => {
      const source = start + rest;
      if (patternProblem(source) !== null) return;
      const answer = ours(source, subject);
      if (answer !== undefined) assert.equal(answer, new RegExp(source, "u").test(subject));
    }),
    { numRuns: 1_500 },
  );
});

test("a pattern is valid exactly when the platform's engine takes it with flag u", () => {
  const sources = [
    ...PATTERNS,
    "(",
    "[",
    "a**",
    "\\_",
    "\\p{Nope}",
    "\\p{L",
    "{",
    "}",
    "]",
    "a{2,1}",
    "(?<1>a)",
    "\\k<x>",
  ];
  sources.push(
    "\\\\p{L}",
    "[b-a]",
    "[a-\\d]",
    "[\\p{L}-z]",
    "(?i:a)",
    "\\u{110000}",
    "\\c1",
    "(?<a>x)(?<a>y)",
    "\\1",
    "\\08",
  );
  for (const source of sources) {
    let isValid = true;
    try {
      void new RegExp(source, "u");
    } catch {
      isValid = false;
    }
    assert.equal(patternProblem(source) === null, isValid, source);
  }
});

test("patterns beyond a thousand states are not given to RE2", () => {
  assert.equal(translatePattern("(?:abcdefghij){200}"), null);
  assert.equal(translatePattern(`${"(".repeat(150)}a${")".repeat(150)}`), null);
  assert.notEqual(translatePattern("(?:abc){200}"), null);
});
