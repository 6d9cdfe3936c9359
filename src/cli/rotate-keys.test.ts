import assert from "node:assert/strict";
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { runDoctor } from "../../test/support/doctor.ts";
import { startProcess, type ServiceProcess } from "../../test/support/processes.ts";
import { loadSecrets } from "../secrets.ts";
import { openCalls } from "./calls.ts";
import { UsageError } from "./options.ts";
import { resealSettings } from "./reseal.ts";
import { rotateKeys } from "./rotate-keys.ts";

function started(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), "rotate-keys-"));
  const services: ServiceProcess[] = [];
  t.after(async () => {
    for (const service of services) await service.kill();
    rmSync(dataDir, { recursive: true });
  });
  const first = loadSecrets(dataDir).secrets;
  return { env: { SERVICE_DATA_DIR: dataDir }, dataDir, first, services, read: () => loadSecrets(dataDir).secrets };
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
  await assert.rejects(
    rotateKeys([], {}, env),
    /adminToken and secretKey and payloadKey .* have previous values already/,
  );
  // It says what ends, and removes nothing until that is agreed to.
  await assert.rejects(
    rotateKeys([], { finish: true }, env),
    /Nothing is removed yet.*\n.*Agents that have the old token.*\n.*Sessions and links.*\n.*callbacks.*\nAdd --yes/,
  );
  assert.deepEqual(read().previous, first);
  await assert.rejects(rotateKeys([], { yes: true }, env), UsageError);
  assert.match(await rotateKeys([], { finish: true, yes: true }, env), /previous values are removed\. Restart/);
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
  const next = await rotateKeys(["payload-key"], {}, given);
  assert.match(next, /Restart the service now\.\nThen give receivers .*webhook-key/);
  assert.doesNotMatch(next, /reseal/, "only the secret key has encrypted something");
  const { previous, payloadKey, ...rest } = read();
  assert.deepEqual(previous, { payloadKey: first.payloadKey });
  assert.deepEqual({ ...rest, payloadKey: first.payloadKey }, first);
  assert.notEqual(payloadKey, first.payloadKey);
  assert.match(await rotateKeys(["secret-key"], {}, given), /\nThen run `.* reseal`\.$/);
  await assert.rejects(rotateKeys(["payload-key"], { finish: true }, given), (error: Error) => {
    assert.match(error.message, /callbacks/);
    assert.doesNotMatch(error.message, /Sessions|Agents/);
    return true;
  });
  await rotateKeys(["payload-key"], { finish: true, yes: true }, given);
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

void test("a value of the file that is in the environment too is not taken for one that is set elsewhere", async (t) => {
  const { env, first, read } = started(t);
  const copied = { ...env, SERVICE_ADMIN_API_TOKEN: first.adminToken };
  await assert.rejects(
    rotateKeys([], {}, copied),
    /SERVICE_ADMIN_API_TOKEN is set .* Nothing was rotated\. .*`unset SERVICE_ADMIN_API_TOKEN`/,
  );
  assert.deepEqual(read(), first);
  await rotateKeys(["secret-key", "payload-key"], {}, copied);
  assert.deepEqual(Object.keys(read().previous ?? {}), ["secretKey", "payloadKey"]);
});

for (const keys of [["secret-key"], []])
  void test(`between rotate-keys ${keys.join(" ")} and the restart, reseal and doctor say that the service has the old keys`, async (t) => {
    const { env, dataDir, services } = started(t);
    const none = { SERVICE_ADMIN_API_TOKEN: "", SERVICE_SECRET_KEY: "", SERVICE_PAYLOAD_KEY: "" };
    const service = await startProcess({ ...env, ...none, SERVICE_DISCOVERY_FILE: "0" });
    services.push(service);
    const { adminToken } = loadSecrets(dataDir).secrets;
    const sender = { id: "desk", display_name: "Desk", from_email: "desk@example.com", transport: "log" };
    const headers = { authorization: `Bearer ${adminToken}` };
    assert.equal((await service.call("POST", "/api/channels/email/identities", sender, headers)).status, 200);

    await rotateKeys(keys, {}, env);
    const there = { ...env, SERVICE_PORT: new URL(service.url).port };
    const calls = await openCalls(there);
    await assert.rejects(
      (await resealSettings(there))(calls),
      /still has the previous SERVICE_SECRET_KEY\. Restart it/,
    );
    const { code, out, says } = await runDoctor(there);
    assert.equal(code, 1, out);
    assert.match(says("public-url"), /still has the keys from before they were rotated\. Restart it/);
    assert.match(
      says("keys/secret"),
      /^The previous SERVICE_SECRET_KEY in secrets\.json is needed: 1 of 1 .*restart it first/,
    );
    if (keys.length === 0)
      for (const [key, name] of [
        ["payload", "payload-key"],
        ["admin-token", "admin-token"],
      ] as const) {
        assert.match(says(`keys/${key}`), new RegExp(`^The previous .* Run \`.* rotate-keys ${name} --finish\` when`));
        assert.doesNotMatch(says(`keys/${key}`), /_PREVIOUS/);
      }
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
