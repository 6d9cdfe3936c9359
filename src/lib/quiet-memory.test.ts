import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

/** Fills the space for new objects, and waits until it is small again. */
const PROGRAM = `
import v8 from "node:v8";
import { releaseMemoryWhenQuiet } from ${JSON.stringify(new URL("./quiet-memory.ts", import.meta.url))};
const size = () => v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").physical_space_size;
releaseMemoryWhenQuiet({ everyMs: 20 });
const kept = [];
while (size() < 32 * 2 ** 20) kept[kept.length % 200_000] = { text: String(kept.length) };
const until = performance.now() + 30_000;
const timer = setInterval(() => {
  if (size() > 16 * 2 ** 20 && performance.now() < until) return;
  clearInterval(timer);
  console.log(size() <= 16 * 2 ** 20);
}, 20);
`;

void test("after a time of load, a quiet process gives back the memory of new objects", async () => {
  // The engine looks every eight seconds.
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", PROGRAM]);
  assert.equal(stdout, "true\n");
});
