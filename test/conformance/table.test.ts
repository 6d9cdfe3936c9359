import assert from "node:assert/strict";
import { test } from "node:test";
import { problemsOf, readRows } from "./table.ts";

const FILES: Record<string, string> = {
  "src/a.test.ts": `import { test } from "node:test";
    test("one", () => {});
    test("twice", () => {});
    test("twice", () => {});
    test("on some machines", { skip: isWindows }, () => {});`,
  "src/b.test.ts": `import { test } from "node:test";\ntest("two", () => {});`,
  "src/a.ts": `import { test } from "node:test";\ntest("one", () => {});`,
};

function problems(...shown: string[]): string[] {
  const rows = shown.map((cell, index) => ({ specification: `Row ${index + 1}`, shown: cell }));
  return problemsOf(rows, (file) => FILES[file] ?? "");
}

void test("a row names one or several tests that exist", () => {
  assert.deepEqual(problems("`src/a.test.ts`: one", "`src/a.test.ts`: one<br>`src/b.test.ts`: two"), []);
});

void test("a row without a test, or with one in another kind of file, names no test", () => {
  const cells = ["", "open: embed", "`src/a.test.ts`:", "src/a.test.ts: one", "`src/a.ts`: one"];
  assert.deepEqual(
    problems(...cells),
    cells.map((_, index) => `Row ${index + 1}: names no test`),
  );
});

void test("each test of a row must exist by its whole title", () => {
  assert.deepEqual(problems("`src/a.test.ts`: on", "`src/b.test.ts`: two<br>`src/a.test.ts`: two"), [
    'Row 1: src/a.test.ts has no test "on"',
    'Row 2: src/a.test.ts has no test "two"',
  ]);
});

void test("a title that a file has twice is ambiguous", () => {
  assert.deepEqual(problems("`src/a.test.ts`: twice"), ['Row 1: src/a.test.ts has 2 tests "twice"']);
});

void test("a test that may be skipped shows nothing", () => {
  assert.deepEqual(problems("`src/a.test.ts`: on some machines"), ['Row 1: src/a.test.ts may skip "on some machines"']);
});

void test("a sentence of the specification has one row", () => {
  const row = { specification: "Signature", shown: "`src/a.test.ts`: one" };
  assert.deepEqual(
    problemsOf([row, row], (file) => FILES[file]!),
    ["Signature: stands in two rows"],
  );
});

void test("rows are read from every table of a page, and have two cells", () => {
  const page = `# Conformance

| Specification | Test |
| --- | --- |
| A task has an id | \`src/a.test.ts\`: one |

## Limits

| Specification | Test |
| --- | --- |
| 404, 405 | \`src/b.test.ts\`: two |
`;
  assert.deepEqual(readRows(page), [
    { specification: "A task has an id", shown: "`src/a.test.ts`: one" },
    { specification: "404, 405", shown: "`src/b.test.ts`: two" },
  ]);
  assert.throws(() => readRows("| one cell |"), /^Error: A row must have two cells: \| one cell \|$/);
  assert.throws(() => readRows("| one | two | three |"), /two cells/);
});
