import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as fc from "fast-check";
import { DEFAULT_STEPS } from "./budget.ts";
import { isOfFormat } from "./formats.ts";
import { HOSTILE_CASES } from "./fixtures/hostile.ts";
import { parseSchema } from "./parse-schema.ts";
import { anySchema, anyValue } from "./fixtures/random-schemas.ts";
import { readSchema } from "./read-schema.ts";
import type { SchemaProblem } from "./reading.ts";
import { validateWith } from "./validate-with.ts";

const nothing = (): undefined => undefined;

/** Returns the paths of the problems of a schema. */
function pathsOf(read: { ok: true } | { ok: false; problems: readonly { path: string }[] }): string[] {
  return read.ok ? [] : read.problems.map(({ path }) => path);
}

test("a page reads what the service accepts, and nothing else", () => {
  const same = (raw: unknown): void => {
    const [page, service] = [readSchema(raw, nothing), parseSchema(raw)];
    assert.equal(page.ok, service.ok);
    assert.deepEqual(pathsOf(page), pathsOf(service));
  };
  for (const each of HOSTILE_CASES) same(each.schema());
  for (const wrong of [0, 5, 20]) fc.assert(fc.property(anySchema(wrong), same), { numRuns: 1_000 });
});

/** JSON that is not a schema, and JSON that is nearly one. */
const anyJson = fc.oneof(fc.jsonValue({ maxDepth: 8 }), anyValue, anySchema(40));

test("any JSON is read or refused, and whatever was read can be checked within its budget", () => {
  const ends = (raw: unknown, value: unknown): void => {
    const read = readSchema(raw, nothing);
    if (!read.ok) {
      assert.ok(read.problems.length > 0);
      return;
    }
    const budget = { left: DEFAULT_STEPS };
    const verdict = validateWith(nothing, read.schema, value, { formats: isOfFormat, budget });
    assert.ok(budget.left >= 0 || verdict.status !== "valid");
  };
  for (const each of HOSTILE_CASES) ends(each.schema(), each.value());
  fc.assert(fc.property(anyJson, anyValue, ends), { numRuns: 4_000 });
});

test("nesting without end is refused, not followed", () => {
  let deep: unknown = {};
  for (let i = 0; i < 100_000; i++) deep = { not: deep };
  const read = readSchema(deep, nothing);
  assert.deepEqual(read, { ok: false, problems: [{ path: "", reason: "depth", params: { limit: 64 } }] });
});

test("problems are facts, with which a sentence can be made", () => {
  const problems = (raw: unknown): SchemaProblem[] => {
    const read = readSchema(raw, nothing);
    return read.ok ? [] : read.problems;
  };
  assert.deepEqual(problems({ minLength: -1, type: "int", $ref: "https://example.com/" }), [
    { path: "/minLength", keyword: "minLength", reason: "count", params: {} },
    { path: "/type", keyword: "type", reason: "type", params: { text: "int" } },
    { path: "/$ref", keyword: "$ref", reason: "ref_outside", params: { text: "https://example.com/" } },
  ]);
});

/** Returns all modules that are loaded with files of this folder, packages included. */
function loadedWith(...files: string[]): Set<string> {
  const loaded = new Set(files);
  for (const file of loaded) {
    if (!file.startsWith("./")) continue;
    const source = readFileSync(join(import.meta.dirname, file), "utf8");
    for (const [, path = ""] of source.matchAll(/^import (?!type )[^"]*"([^"]+)"/gm)) loaded.add(path);
  }
  return loaded;
}

test("what a page loads brings no sentences, no meta-schemas and no RE2", () => {
  const heavy = ["./sentences.ts", "./problems.ts", "./meta-schemas.ts", "re2js"];
  const service = loadedWith("./parse-schema.ts", "./validate.ts");
  assert.deepEqual(
    heavy.filter((file) => !service.has(file)),
    [],
  );
  const page = loadedWith("./read-schema.ts", "./validate-with.ts");
  assert.deepEqual(
    heavy.filter((file) => page.has(file)),
    [],
  );
});

test("a document that allows everything stands for one that a page has not got", () => {
  const raw = { properties: { a: { $ref: "https://json-schema.org/draft/2020-12/schema" }, b: { type: "null" } } };
  const read = readSchema(raw, () => true);
  assert.ok(read.ok);
  assert.equal(validateWith(nothing, read.schema, { a: { type: "int" } }).status, "valid");
  assert.equal(validateWith(nothing, read.schema, { b: 1 }).status, "invalid");
});
