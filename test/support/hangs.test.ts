import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const HANGS = pathToFileURL(join(import.meta.dirname, "hangs.ts")).href;

void test("a process whose tests have passed, and that does not end, fails and says what it waits for", () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const text = `import { test } from "node:test";\nimport { createServer } from "node:net";
test("passes", () => void createServer().listen(0, "127.0.0.1"));\n`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", HANGS, "--test-reporter=tap", "--input-type=module", "--eval", text],
    { env: { ...env, TEST_HANGS_MS: "1000" }, encoding: "utf8" },
  );
  assert.equal(status, 1, stdout);
  assert.match(stderr, /still runs\. It waits for: .*TCPServerWrap/);
});
