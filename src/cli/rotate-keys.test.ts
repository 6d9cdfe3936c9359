import assert from "node:assert/strict";
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { loadSecrets } from "../secrets.ts";
import { UsageError } from "./options.ts";
import { rotateKeys } from "./rotate-keys.ts";

function started(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), "rotate-keys-"));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const first = loadSecrets(dataDir).secrets;
  return { env: { SERVICE_DATA_DIR: dataDir }, dataDir, first, read: () => loadSecrets(dataDir).secrets };
}

void test("all secrets of a data directory get new values, and the previous ones go when the rotation is finished", async (t) => {
  const { env, dataDir, first, read } = started(t);
  assert.match(await rotateKeys([], {}, env), /SERVICE_PAYLOAD_KEY has a new value.*\nRestart the service now\./);
  const { previous, ...current } = read();
  assert.deepEqual(previous, first);
  for (const name of ["adminToken", "secretKey", "payloadKey"] as const) assert.notEqual(current[name], first[name]);
  assert.deepEqual(readdirSync(dataDir), ["secrets.json"]);
  assert.equal(statSync(join(dataDir, "secrets.json")).mode & 0o777, 0o600);

  // What is sealed with the first key would be lost by a third one.
  await assert.rejects(rotateKeys(["secret-key"], {}, env), /secretKey in secrets\.json has a previous value already/);
  assert.match(await rotateKeys([], { finish: true }, env), /previous values are removed\. Restart/);
  assert.deepEqual(read(), current);
  assert.match(await rotateKeys([], { finish: true }, env), /No key .* is being rotated/);
});

void test("one secret is rotated by its name, and those of the environment are left alone", async (t) => {
  const { env, dataDir, first, read } = started(t);
  await assert.rejects(rotateKeys(["secret"], {}, env), UsageError);
  const given = { ...env, SERVICE_ADMIN_API_TOKEN: "a-token-of-the-environment" };
  const said = await rotateKeys(["admin-token"], {}, given);
  assert.equal(said, "SERVICE_ADMIN_API_TOKEN is set in the environment: rotate it there.");
  assert.deepEqual(read(), first);
  await assert.rejects(
    rotateKeys(["payload-key"], {}, { ...given, SERVICE_PAYLOAD_KEY_PREVIOUS: first.secretKey }),
    /SERVICE_PAYLOAD_KEY_PREVIOUS is set in the environment\. Finish that rotation first/,
  );
  await rotateKeys(["payload-key"], {}, given);
  const { previous, payloadKey, ...rest } = read();
  assert.deepEqual(previous, { payloadKey: first.payloadKey });
  assert.deepEqual({ ...rest, payloadKey: first.payloadKey }, first);
  assert.notEqual(payloadKey, first.payloadKey);
  await rotateKeys(["secret-key"], {}, given);
  await rotateKeys(["payload-key"], { finish: true }, given);
  assert.deepEqual(read().previous, { secretKey: first.secretKey }, "only the named one is finished");
  const text = readFileSync(join(dataDir, "secrets.json"), "utf8");
  await assert.rejects(
    rotateKeys(
      [],
      {},
      {
        SERVICE_DATABASE_URL: "postgres://db/x",
        SERVICE_ADMIN_API_TOKEN: "a-token-of-the-environment",
        SERVICE_SECRET_KEY: first.secretKey,
      },
    ),
    /all keys are in the environment/,
  );
  assert.equal(readFileSync(join(dataDir, "secrets.json"), "utf8"), text);
});

void test(
  "the file keeps its owner when another user rotates its keys",
  { skip: process.getuid?.() !== 0 },
  async (t) => {
    const { env, dataDir } = started(t);
    const file = join(dataDir, "secrets.json");
    chownSync(file, 65534, 65534);
    await rotateKeys(["payload-key"], {}, env);
    const { uid, gid } = statSync(file);
    assert.deepEqual([uid, gid], [65534, 65534]);
  },
);
