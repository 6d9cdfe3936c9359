import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { processorSeconds } from "./processor-time.ts";

/** Uses the processor for a quarter of a second. */
const BUSY = "const end = process.cpuUsage().user + 250_000; while (process.cpuUsage().user < end);";

void test(
  "the time of processors is that of a process, and of children that run or have ended",
  { skip: process.platform !== "linux" },
  async (t) => {
    const before = processorSeconds()!;
    execFileSync(process.execPath, ["-e", BUSY]);
    const ended = processorSeconds()!;
    assert.ok(ended.all - before.all >= 0.25, "of a child that has ended");
    assert.ok(ended.ended - before.ended >= 0.25, "as one that has ended");

    const child = spawn(process.execPath, ["-e", `${BUSY} console.log("busy"); setInterval(() => {}, 1_000);`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => child.kill());
    await once(child.stdout, "data");
    const running = processorSeconds()!;
    assert.ok(running.all - ended.all >= 0.25, "of a child that runs");
    assert.equal(running.ended, ended.ended);
  },
);
