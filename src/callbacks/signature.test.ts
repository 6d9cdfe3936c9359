import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createSigner, deriveCallbackKey } from "./signature.ts";

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
