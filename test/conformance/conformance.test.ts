import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { problemsOf, readRows } from "./table.ts";

void test("every row of the conformance table names tests that exist and always run", () => {
  const rows = readRows(readFileSync(new URL("./README.md", import.meta.url), "utf8"));
  assert.ok(rows.length > 160);
  assert.deepEqual(
    problemsOf(rows, (file) => readFileSync(file, "utf8")),
    [],
  );
});
