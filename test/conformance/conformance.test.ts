import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const rows = readFileSync(new URL("./README.md", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| ---") && !line.startsWith("| Specification"))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\||\|$/g, "").trim()));

void test("every row of the conformance table names a test that exists, or says what is open", () => {
  assert.ok(rows.length > 60);
  const wrong: string[] = [];
  for (const [promise, shown = ""] of rows) {
    if (/^open: (channels|embed|verifier)$/.test(shown)) continue;
    const [, file, name] = /^`([^`]+)`: (.+)$/.exec(shown) ?? [];
    if (file === undefined || name === undefined) wrong.push(`${promise}: no test`);
    else if (!readFileSync(file, "utf8").includes(name)) wrong.push(`${promise}: no "${name}" in ${file}`);
  }
  assert.deepEqual(wrong, []);
});
