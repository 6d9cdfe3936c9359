import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { jsonProblem } from "./json-problem.ts";

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

void test("there is a problem just where JSON.parse refuses", () => {
  const pieces = fc.constantFrom(
    ..."{}[]:,\"\\'/*-+.eE0123 \t\n\r\u0001tu".split(""),
    "true",
    "nul",
    '"a"',
    "\\u00e9",
    "1.5e3",
    "é",
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join("")),
    fc.json(),
    // One character of JSON is removed or inserted.
    fc.tuple(fc.json(), fc.nat(), pieces, fc.nat(1)).map(([json, at, piece, lost]) => {
      const place = at % (json.length + 1);
      return json.slice(0, place) + (lost === 1 ? "" : piece) + json.slice(place + lost);
    }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const [problem, isAccepted] = [jsonProblem(text), isJson(text)];
      // The message has a second verdict of the engine.
      assert.equal(problem === null, isAccepted, `${text}: ${problem?.message}, again ${isJson(text)}`);
    }),
    { numRuns: 5_000 },
  );
});

const CASES: readonly [text: string, line: number, column: number, says: RegExp][] = [
  ["", 1, 1, /^A value is missing here/],
  ['{\n  "a": 1,\n}', 3, 1, /Remove the comma/],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, /^A comma or the closing } is missing/],
  ["{a: 1}", 1, 2, /^A property name in double quotes is missing/],
  ['{"a" 1}', 1, 6, /^A colon is missing/],
  ['{"a": "b}', 1, 10, /not closed/],
  ['{"a": "b\n"}', 1, 9, /Write a line break in a string as/],
  ["[True]", 1, 2, /^Not a valid value/],
  ["['a']", 1, 2, /double quotes/],
  ["[01]", 1, 3, /^Not a valid number/],
  ['["\\x"]', 1, 3, /^After a backslash/],
  ["{} // done", 1, 4, /^The JSON ends before this/],
  ["[ // one\n1]", 1, 3, /no comments/],
  ["[".repeat(9_999), 1, 501, /^Too many levels/],
];

for (const [text, line, column, says] of CASES)
  void test(`${JSON.stringify(text.slice(0, 30))} is told at line ${line}, column ${column}`, () => {
    const problem = jsonProblem(text);
    assert.deepEqual([problem?.line, problem?.column], [line, column]);
    assert.match(problem!.message, says);
  });
