import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const TOGETHER = JSON.stringify(pathToFileURL(join(import.meta.dirname, "together.ts")).href);

/**
 * Runs test files with these texts in one process. @returns each test that passed, as "file > test", and the files that
 * failed
 */
function runFiles(texts: Record<string, string>): { passed: string[]; failed: string[] } {
  const folder = mkdtempSync(join(tmpdir(), "together-"));
  try {
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    const files = Object.keys(texts).filter((name) => name.endsWith(".test.mjs"));
    const paths = JSON.stringify(files.map((name) => join(folder, name)));
    writeFileSync(join(folder, "all.mjs"), `import { runTogether } from ${TOGETHER};\nawait runTogether(${paths});\n`);
    // It must be a separate run, not a part of this one.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = spawnSync(process.execPath, ["--test-reporter=tap", join(folder, "all.mjs")], {
      env,
      encoding: "utf8",
    });
    const passed: string[] = [];
    const failed: string[] = [];
    let inside: string[] = [];
    for (const [, indent, not, name] of stdout.matchAll(/^( *)(not )?ok \d+ - (.*)$/gm)) {
      const file = basename(name!);
      // The tests of a suite are reported before the suite.
      if (indent !== "") inside.push(name!);
      else if (not === undefined) passed.push(...inside.splice(0).map((test) => `${file} > ${test}`));
      else failed.push(file);
      if (indent === "") inside = [];
    }
    return { passed, failed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Both files wait for this import, as test files wait for a build. */
const SHARED = `await new Promise((resolve) => setImmediate(resolve));\nexport const shared = 1;\n`;
const file = (name: string) =>
  `import { test } from "node:test";\nimport "./shared.mjs";\nvoid test("${name}", () => {});\n`;

void test("files that share a process each have their own tests, also when they wait for the same module", () => {
  const texts = {
    "shared.mjs": SHARED,
    "a.test.mjs": file("one"),
    "b.test.mjs": file("two"),
    "c.test.mjs": file("three"),
  };
  const { passed, failed } = runFiles(texts);
  assert.deepEqual(passed.toSorted(), ["a.test.mjs > one", "b.test.mjs > two", "c.test.mjs > three"]);
  assert.deepEqual(failed, []);
});

void test("a file that cannot be loaded fails, and the others run", () => {
  const { passed, failed } = runFiles({
    "shared.mjs": SHARED,
    "a.test.mjs": `throw new Error("cannot be loaded");\n`,
    "b.test.mjs": file("two"),
  });
  assert.deepEqual(passed, ["b.test.mjs > two"]);
  assert.deepEqual(failed, ["a.test.mjs"]);
});
