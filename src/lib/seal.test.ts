import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { seal, unseal } from "./seal.ts";

const key = randomBytes(32);
const keys = { current: key, accepted: [key] };
const other = randomBytes(32);
const others = { current: other, accepted: [other] };

void test("what is sealed is read with its key at its place, and nowhere else", () => {
  const sealed = seal(keys, "identities/main/config", "päss\u{1f511}");
  assert.equal(unseal(keys, "identities/main/config", sealed), "päss\u{1f511}");
  assert.equal(unseal(others, "identities/main/config", sealed), null);
  assert.equal(unseal(keys, "identities/other/config", sealed), null);
  assert.equal(unseal({ accepted: [other, key] }, "identities/main/config", sealed), "päss\u{1f511}");
  assert.doesNotMatch(Buffer.from(sealed, "base64url").toString("latin1"), /ss/);
  assert.notEqual(seal(keys, "identities/main/config", "päss\u{1f511}"), sealed);
});

void test("what was changed, cut or made up is nothing", () => {
  const sealed = Buffer.from(seal(keys, "p", "secret"), "base64url");
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed[i]! ^= 1;
    assert.equal(unseal(keys, "p", changed.toString("base64url")), null, String(i));
    assert.equal(unseal(keys, "p", sealed.subarray(0, i).toString("base64url")), null, String(i));
  }
  assert.equal(unseal(keys, "p", "no base64 at all!"), null);
});
