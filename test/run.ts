import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

/**
 * `npm test`: first everything that fits into one process, which is fast since nothing is loaded twice; then the suites
 * that start processes of their own. File names on the command line narrow it down.
 */
const asked = process.argv.slice(2);
const wanted = (files: string[]) =>
  files.filter((file) => asked.length === 0 || asked.some((part) => file.includes(part))).toSorted();

const together = wanted(
  globSync(["src/**/*.test.ts", "json-schema/**/*.test.ts", "test/*.test.ts", "test/conformance/**/*.test.ts"]),
);
const apart = wanted(globSync("test/replicas/**/*.test.ts"));

for (const { files, options } of [
  { files: together, options: ["--test-isolation=none"] },
  { files: apart, options: ["--test-concurrency=1"] },
]) {
  if (files.length === 0) continue;
  const { status } = spawnSync(process.execPath, ["--test", "--test-force-exit", ...options, ...files], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
