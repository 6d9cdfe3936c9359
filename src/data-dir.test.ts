import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { protectDataDir } from "./data-dir.ts";
import { startService } from "./start.ts";

const modeOf = (dir: string) => statSync(dir).mode & 0o7777;

void test("a data directory that others may write to is closed to them with a warning; a shared one is refused", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "data-dir-test-"));
  t.after(() => rmSync(dir, { recursive: true }));
  assert.equal(protectDataDir(join(dir, "none")), null);
  for (const mode of [0o700, 0o755, 0o2770]) {
    chmodSync(dir, mode);
    assert.equal(protectDataDir(dir), null);
    assert.equal(modeOf(dir), mode);
  }
  chmodSync(dir, 0o777);
  assert.match(protectDataDir(dir)!, /mode 777.*closed to other users/);
  assert.equal(modeOf(dir), 0o770);
  chmodSync(dir, 0o1777);
  assert.throws(() => protectDataDir(dir), /Use a directory of the service's own/);
  assert.equal(modeOf(dir), 0o1777, "a directory that others use is left as it is");
});

void test("a start closes its data directory, and says so", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "data-dir-test-"));
  t.after(() => rmSync(dir, { recursive: true }));
  chmodSync(dir, 0o777);
  const env = { SERVICE_PORT: "0", SERVICE_DATA_DIR: dir, SERVICE_LOG_LEVEL: "silent", SERVICE_DISCOVERY_FILE: "0" };
  const running = await startService(env);
  try {
    assert.match(running.warnings.join(), /closed to other users/);
    assert.equal(modeOf(dir), 0o770);
  } finally {
    await running.stop();
  }
});
