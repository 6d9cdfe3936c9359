import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { openFilesMax } from "./open-files.ts";

test("the limit of open files is the one that the shell tells", { skip: process.platform !== "linux" }, () => {
  const told = execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
  assert.equal(openFilesMax(), told === "unlimited" ? Number.POSITIVE_INFINITY : Number(told));
});
