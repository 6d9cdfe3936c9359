import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { standardSecret } from "../lib/standard-webhooks.ts";
import { callbackKeysOf, createAttemptSigner, createSigner, deriveCallbackKey } from "./signature.ts";

const PAYLOAD_KEY = Buffer.from("tlR5UCElY4QIjThpO4TlL1GzTzXrQQJYa3BtvZ0FOBQ", "base64");

test("the published check value comes out", () => {
  assert.equal(
    createSigner(PAYLOAD_KEY)(Buffer.from('{"task":"x"}')),
    "sha256=eec51be281af1c96d2fcecf31388838811c3b2c66fa34f8a5c2debaaafbc6d33",
  );
});

test("the signature is over bytes, so a body that is no valid UTF-8 has one too", () => {
  const sign = createSigner(PAYLOAD_KEY);
  assert.notEqual(sign(Buffer.from([0xff])), sign(Buffer.from([0xfe])));
  assert.match(sign(Buffer.alloc(0)), /^sha256=[0-9a-f]{64}$/);
});

test("a payload key of any other length is refused", () => {
  for (const length of [0, 16, 31, 33, 64]) {
    assert.throws(() => deriveCallbackKey(Buffer.alloc(length)), RangeError);
    assert.throws(() => createSigner(Buffer.alloc(length)), RangeError);
  }
});

test("a later change of the caller's buffer does not change the key", () => {
  const payloadKey = Buffer.from(PAYLOAD_KEY);
  const sign = createSigner(payloadKey);
  const before = sign(Buffer.from("x"));
  payloadKey.fill(0);
  assert.equal(sign(Buffer.from("x")), before);
});

test("during a rotation, receivers with either key verify a callback by the standard headers", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 0, 31, 12) });
  const [current, previous, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const body = Buffer.from(JSON.stringify({ task: "Größe" }));
  const attempt = { id: "dlv_1", at: Date.now(), body };
  const verifies = (headers: Record<string, string>, payloadKey: Uint8Array) => {
    const webhook = new Webhook(standardSecret(deriveCallbackKey(payloadKey)));
    try {
      return (webhook.verify(body.toString(), headers) as { task: string }).task === "Größe";
    } catch {
      return false;
    }
  };
  const sign = createAttemptSigner({ payloadKey: current, previous: { payloadKey: previous } });
  const during = sign(attempt);
  assert.deepEqual(
    [current, previous, other].map((key) => verifies(during, key)),
    [true, true, false],
  );
  // The header of the specification has room for one signature: that of the key which receivers have already.
  assert.equal(during["X-Service-Signature"], createSigner(previous)(body));
  const after = createAttemptSigner({ payloadKey: current, previous: { payloadKey: null } })(attempt);
  assert.deepEqual(
    [current, previous].map((key) => verifies(after, key)),
    [true, false],
  );
  assert.equal(after["X-Service-Signature"], createSigner(current)(body));
  assert.deepEqual(callbackKeysOf({ payloadKey: current, previous: { payloadKey: previous } }), [
    deriveCallbackKey(current),
    deriveCallbackKey(previous),
  ]);
  // The signature covers the time and the id: a later or another callback needs one of its own.
  assert.ok(!verifies({ ...after, "webhook-timestamp": String(Number(after["webhook-timestamp"]) + 1) }, current));
  assert.ok(!verifies({ ...after, "webhook-id": "dlv_2" }, current));
});

const OPENSSL = "openssl";
const hasOpenssl = spawnSync(OPENSSL, ["version"]).status === 0;

test(
  "the openssl command, which knows nothing of this code, agrees on key and signature",
  { skip: hasOpenssl ? false : "there is no openssl command on this machine" },
  () => {
    for (const payloadKey of [PAYLOAD_KEY, randomBytes(32)]) {
      for (const body of [Buffer.from('{"task":"x"}'), Buffer.alloc(0), randomBytes(5_000)]) {
        // HKDF by its two definitions (RFC 5869): extract, then one block of expand, each an HMAC of its own.
        const pseudorandomKey = opensslHmac(Buffer.from("service-webhook-v1"), payloadKey);
        const derived = opensslHmac(pseudorandomKey, Buffer.from("v1\x01", "latin1"));

        assert.deepEqual(deriveCallbackKey(payloadKey), derived);
        assert.equal(createSigner(payloadKey)(body), `sha256=${opensslHmac(derived, body).toString("hex")}`);
      }
    }
  },
);

function opensslHmac(key: Buffer, data: Buffer): Buffer {
  const options = ["dgst", "-sha256", "-mac", "HMAC", "-macopt", `hexkey:${key.toString("hex")}`, "-binary"];
  const { status, stdout, stderr } = spawnSync(OPENSSL, options, { input: data });
  assert.equal(status, 0, stderr.toString());
  return stdout;
}
