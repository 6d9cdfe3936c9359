import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { startProcess, type ServiceProcess } from "../../test/support/processes.ts";

type Env = Record<string, string>;

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));
/** What does not end by then hangs. */
const TEST_MS = 120_000;

/** The settings of services that keep their keys in one data directory, and how to start one. */
function keysInDirectory(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), "calls-test-"));
  const services: ServiceProcess[] = [];
  t.after(async () => {
    for (const service of services) await service.kill();
    rmSync(dataDir, { recursive: true });
  });
  const given: Env = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_ADMIN_API_TOKEN: "",
    SERVICE_SECRET_KEY: "",
    SERVICE_PAYLOAD_KEY: "",
  };
  const start = async (env: Env = given) => {
    const service = await startProcess(env);
    services.push(service);
    return service;
  };
  return { given, start };
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
  const { given, start } = keysInDirectory(t);
  const before = await start();
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
  await start(env);
  await listed();
});

void test("a command whose tokens the service does not know says so", { timeout: TEST_MS }, async (t) => {
  const { given, start } = keysInDirectory(t);
  const service = await start();
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
