import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { SEED } from "./support/seed.ts";

/**
 * `npm test`: first everything that fits into one process, which is fast since nothing is loaded twice; then the suites
 * that start processes of their own. File names on the command line narrow it down.
 */
const RESTARTS = "sdk/restarts.test.ts";
const asked = process.argv.slice(2);
const wanted = (files: string[]) =>
  files.filter((file) => asked.length === 0 || asked.some((part) => file.includes(part))).toSorted();

const together = wanted(
  globSync([
    "src/**/*.test.ts",
    "json-schema/**/*.test.ts",
    "form/**/*.test.ts",
    "sdk/{,testing/}*.test.ts",
    "web/**/*.test.ts",
    "test/*.test.ts",
    "test/support/**/*.test.ts",
    "test/conformance/**/*.test.ts",
  ]).filter((file) => file !== RESTARTS),
);
// Each starts processes, or loads a framework of its own, which takes its time and room.
const apart = wanted([
  ...globSync(["test/{replicas,examples,guides}/**/*.test.ts", "mcp/*.test.ts", "sdk/adapters/**/*.test.ts"]),
  RESTARTS,
]);
const inBrowsers = wanted(globSync("test/browser/**/*.test.ts"));

const missed = asked.filter((part) => ![...together, ...apart, ...inBrowsers].some((file) => file.includes(part)));
if (missed.length > 0) {
  process.stderr.write(`No test file has this in its name: ${missed.join(", ")}.\n`);
  process.exit(1);
}

// Each file that runs in a process of its own has the same.
process.env["TEST_SEED"] = String(SEED);
process.stdout.write(`Drawn by lot from TEST_SEED=${SEED}.\n`);

for (const { files, options } of [
  { files: together, options: ["--test-isolation=none"] },
  { files: apart, options: ["--test-concurrency=1"] },
  // Two browsers: a page and its test take turns, so that one alone leaves a processor idle.
  { files: inBrowsers, options: ["--test-concurrency=2"] },
]) {
  if (files.length === 0) continue;
  const status = await run(["--import", "./test/support/seed.ts", "--test", "--test-force-exit", ...options, ...files]);
  if (status !== 0) process.exit(status ?? 1);
}

/** Whoever ends this ends what it started as well. */
async function run(args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.on("SIGINT", pass).on("SIGTERM", pass);
  const [status] = (await once(child, "exit")) as [number | null];
  process.off("SIGINT", pass).off("SIGTERM", pass);
  return status;
}
