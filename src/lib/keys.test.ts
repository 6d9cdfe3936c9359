import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createNonce, isNonce, isProof, proofOf } from "../channels/action/proofs.ts";
import type { Config } from "../config.ts";
import { createCookies } from "../people/sessions.ts";
import { setupToken } from "../people/setup.ts";
import { sealFor, sealedWith, unsealFrom } from "../db/sealed.ts";
import { keyringOf } from "./keys.ts";

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];

function configOf(secretKey: Uint8Array, previous: Uint8Array | null): Config {
  const keys = { secretKey, previous: { adminToken: null, secretKey: previous, payloadKey: null } };
  return { ...keys, publicUrl: "http://localhost" } as unknown as Config;
}

const before = configOf(OLD, null);
const during = configOf(NEW, OLD);
const after = configOf(NEW, null);

/** What is made with a key, and whether it is valid under other keys. */
const USES: Record<string, (maker: Config) => (reader: Config) => boolean> = {
  cookies: (maker) => {
    const value = /=([^;]+)/.exec(createCookies(maker).make().setCookie)![1]!;
    return (reader) => createCookies(reader).open(value) !== null;
  },
  links: (maker) => {
    const proof = proofOf({ config: maker }, "link", "tsk_1 dana@example.com");
    return (config) => isProof({ config }, "link", "tsk_1 dana@example.com", proof);
  },
  nonces: (maker) => {
    const nonce = createNonce({ config: maker }, "token", 1000);
    return (config) => isNonce({ config }, "token", nonce, 2000);
  },
  "sealed settings": (maker) => {
    const sealed = sealFor(maker, "email_identities", "desk", "secret");
    return (reader) => unsealFrom(reader, "email_identities", "desk", sealed) === "secret";
  },
  "setup tokens": (maker) => {
    const token = setupToken(maker);
    return (reader) =>
      keyringOf(reader, "setup")
        .accepted.map((key) => key.toString("base64url"))
        .includes(token);
  },
};

for (const [name, make] of Object.entries(USES))
  void test(`${name} of either key are valid during a rotation, and new ones are made with the current key`, () => {
    const old = make(before);
    assert.deepEqual([before, during, after].map(old), [true, true, false]);
    const made = make(during);
    assert.deepEqual([before, during, after].map(made), [false, true, true]);
    // The first step with several processes: the new key is accepted before anything is made with it.
    assert.ok(made(configOf(OLD, NEW)));
  });

void test("it is known which key a setting is sealed with", () => {
  const sealed = sealFor(before, "slack_installations", "T1", "xoxb-1");
  const known = (config: Config, id = "T1") => sealedWith(config, "slack_installations", id, sealed);
  assert.deepEqual(
    [before, during, after].map((config) => known(config)),
    ["current", "previous", "unreadable"],
  );
  assert.equal(known(before, "T2"), "unreadable");
});
