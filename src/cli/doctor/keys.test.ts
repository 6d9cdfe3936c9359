import assert from "node:assert/strict";
import { test } from "node:test";
import { onBoth, runDoctor, startPatient, withoutService } from "../../../test/support/doctor.ts";
import { undoFrom } from "../../../test/support/older-release.ts";
import { sealFor } from "../../db/sealed.ts";
import { rotateKeys } from "../rotate-keys.ts";

const OLD = Buffer.alloc(32, 3);

onBoth("the doctor says which keys are rotated, and what still depends on the previous ones", async (dialect, t) => {
  const { service, env } = await startPatient(t, dialect, { SERVICE_SECRET_KEY_PREVIOUS: OLD.toString("base64") });
  const body = { id: "desk", display_name: "Desk", from_email: "desk@example.com", transport: "log" };
  assert.equal((await service.call("POST", "/api/channels/email/identities", { body })).status, 200);
  const keys = { secretKey: OLD, previous: { adminToken: null, secretKey: null, payloadKey: null } };
  const transport_config = sealFor(keys, "email_identities", "desk", JSON.stringify({ kind: "log" }));
  await service.ctx.db.write((tx) => tx.query.updateTable("email_identities").set({ transport_config }).execute());

  const others = {
    SERVICE_ADMIN_API_TOKEN_PREVIOUS: "the-token-before-it-was-rotated",
    SERVICE_PAYLOAD_KEY_PREVIOUS: OLD.toString("base64"),
  };
  const sealed = await runDoctor({ ...env, ...others });
  assert.equal(sealed.code, 0, sealed.out);
  assert.match(
    sealed.says("keys/secret"),
    /^SERVICE_SECRET_KEY_PREVIOUS is needed: 1 of 1 stored settings .* `.* reseal`/,
  );
  assert.match(sealed.says("keys/payload"), /alone signs X-Service-Signature\. Remove it when/);
  assert.match(sealed.says("keys/admin-token"), /accepted too/);
  for (const value of Object.values(others)) assert.ok(!sealed.out.includes(value));
  if (dialect === "sqlite") {
    // The keys of the environment are not in the file, and the settings that they sealed are seen all the same.
    await assert.rejects(rotateKeys([], { finish: true }, { ...env, ...others }), /1 setting is still encrypted/);
  }

  assert.equal((await service.call("POST", "/api/admin/reseal")).body["resealed"], 1);
  const done = await runDoctor(env);
  assert.match(done.says("keys/secret"), /No stored setting is encrypted with it\. Sessions \(up to 7 days\)/);
  const { SERVICE_SECRET_KEY_PREVIOUS: _removed, ...after } = env as Record<string, string>;
  const well = await runDoctor(after);
  assert.deepEqual([well.status["keys"], well.says("keys")], ["ok", "No key is being rotated."]);
  assert.equal(well.status["mail/desk"], "warning", "the settings are read with the current key");
});

const NOT_CHECKED = /Keep it: whether stored settings need it was not checked/;

void test("the doctor that finds no database says to keep the previous key", async (t) => {
  const previous = { SERVICE_SECRET_KEY_PREVIOUS: OLD.toString("base64") };
  const notMade = withoutService(t, previous);
  const away = withoutService(t, { ...previous, SERVICE_DATABASE_URL: "postgres://ada@127.0.0.1:9/tasks" });
  for (const { says } of await Promise.all([runDoctor(notMade), runDoctor(away)])) {
    assert.match(says("keys/secret"), NOT_CHECKED);
    assert.doesNotMatch(says("keys/secret"), /No stored setting is encrypted/);
  }
});

onBoth("the doctor that cannot read an older release's tables says to keep the previous key", async (dialect, t) => {
  const previous = { SERVICE_SECRET_KEY_PREVIOUS: OLD.toString("base64") };
  const { service, env } = await startPatient(t, dialect, previous, { changesTables: true });
  await service.ctx.db.write((tx) => undoFrom(tx, "0012"));
  const { status, says } = await runDoctor(env);
  assert.equal(status["schema"], "warning");
  assert.match(says("keys/secret"), NOT_CHECKED);
});
