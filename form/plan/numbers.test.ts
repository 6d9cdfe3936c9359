import assert from "node:assert/strict";
import { test } from "node:test";
import { readNumber } from "./numbers.ts";

const read = (text: string): string => {
  const result = readNumber(text);
  return "code" in result ? result.code : result.text;
};

void test("a number is read as people write it", () => {
  const cases: Record<string, string> = {
    "12": "12",
    " 12.5 ": "12.5",
    "12,5": "12.5",
    "-0,50": "-0.50",
    "+7": "7",
    ".5": "0.5",
    "5.": "5",
    "007": "7",
    "1 234": "1234",
    "1\u00a0234,5": "1234.5",
    "1'234.50": "1234.50",
    "1,234.50": "1234.50",
    "1.234,50": "1234.50",
    "1,234,567": "1234567",
    "1.234.567": "1234567",
    "0,125": "0.125",
    "\u22123": "-3",
    "1e3": "1e3",
    "1.005": "1.005",
  };
  for (const [text, wanted] of Object.entries(cases)) assert.equal(read(text), wanted, text);
});

void test("what could be two numbers, or is none, is refused instead of guessed", () => {
  assert.equal(read("1,234"), "thousands");
  assert.equal(read("12,345"), "thousands");
  for (const text of [
    "",
    "a",
    "1a",
    "1,2,3",
    "1.2,3.4",
    "1,23.4",
    "--1",
    "1-1",
    "0x10",
    "Infinity",
    "NaN",
    "1e",
    "1e9999",
    "12 34",
  ])
    assert.equal(read(text), "not_a_number", text);
});
