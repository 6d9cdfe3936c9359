import { isMainThread } from "node:worker_threads";

/** A process of tests that has not ended by then does not end. On a busy machine, the slowest takes ten minutes. */
const HANGS_MS = Number(process.env["TEST_HANGS_MS"] ?? 20 * 60_000);

// The runner's own limit ends a test, but not a process whose tests are over while something that they started goes on.
if (isMainThread)
  setTimeout(() => {
    const holders = process.getActiveResourcesInfo();
    process.stderr.write(
      `After ${HANGS_MS} ms this process of tests still runs. It waits for: ${holders.join(", ")}.\n`,
    );
    process.exit(1);
  }, HANGS_MS).unref();
