import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { startProcess } from "../../test/support/processes.ts";

type Env = Record<string, string>;

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));
/** What does not end by then hangs. */
const TEST_MS = 120_000;

/** Returns the settings of a service that keeps its keys in its data directory. */
function keysInDirectory(t: TestContext): Env {
  const dataDir = mkdtempSync(join(tmpdir(), "calls-test-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  return {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_ADMIN_API_TOKEN: "",
    SERVICE_SECRET_KEY: "",
    SERVICE_PAYLOAD_KEY: "",
  };
}

/** Runs a command to its end, as an operator does. */
async function run(env: Env, ...args: string[]) {
  const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [[code], out, err] = await Promise.all([
    once(child, "close") as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, out, err };
}

void test("commands work from `rotate-keys` until the restart, and after it", { timeout: TEST_MS }, async (t) => {
  const given = keysInDirectory(t);
  const before = await startProcess(given);
  t.after(() => before.kill());
  const env = { ...given, SERVICE_PORT: new URL(before.url).port };
  assert.equal((await run(env, "keys", "create", "--name", "Shop")).code, 0);
  const listed = async () => {
    const { code, out, err } = await run(env, "keys", "list");
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /Shop/);
  };
  const rotated = await run(env, "rotate-keys");
  assert.match(rotated.out, /SERVICE_ADMIN_API_TOKEN has a new value/);
  await listed();
  assert.equal(await before.stop(), 0);
  const after = await startProcess(env);
  t.after(() => after.kill());
  await listed();
});

void test("a command whose tokens the service does not know says so", { timeout: TEST_MS }, async (t) => {
  const given = keysInDirectory(t);
  const service = await startProcess(given);
  t.after(() => service.kill());
  const others = {
    SERVICE_ADMIN_API_TOKEN: "a-token-that-this-service-never-had",
    SERVICE_ADMIN_API_TOKEN_PREVIOUS: "another-token-that-it-never-had",
  };
  const { code, out, err } = await run(
    { ...given, ...others, SERVICE_PORT: new URL(service.url).port },
    "keys",
    "list",
  );
  assert.deepEqual([code, out], [1, ""]);
  assert.match(err, /with a valid token/);
});
