import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { tokenKind } from "./tokens.ts";

const KINDS = ["hts_agent_", "hts_person_"].map((start) => ({ start, kind: tokenKind(start) }));
const EXAMPLES = KINDS.flatMap(({ start, kind }) =>
  [kind.create(), kind.withSecret(new Uint8Array(32)), kind.withSecret(new Uint8Array(32).fill(255))].map((token) => ({
    start,
    kind,
    token,
  })),
);

test("a token is recognized as one of its kind, and no other", () => {
  for (const { start, token } of EXAMPLES)
    for (const other of KINDS) assert.equal(other.kind.isOne(token), other.start === start, token);
});

test("a token with any one character changed is not a token", () => {
  for (const { kind, token } of EXAMPLES)
    for (let i = 0; i < token.length; i++) {
      const changed = token.slice(0, i) + (token[i] === "a" ? "b" : "a") + token.slice(i + 1);
      assert.ok(!kind.isOne(changed), changed);
    }
});

test("a token that was cut, or has something before or after it, is not a token", () => {
  for (const { kind, token } of EXAMPLES) {
    for (let length = 0; length < token.length; length++) {
      assert.ok(!kind.isOne(token.slice(0, length)), token.slice(0, length));
      assert.ok(!kind.isOne(token.slice(token.length - length)), token.slice(token.length - length));
    }
    for (const longer of [`${token}0`, `0${token}`, `${token} `, ` ${token}`, token + token])
      assert.ok(!kind.isOne(longer), longer);
  }
});

test("a token with the start of another kind is not a token, even if its checksum is right", () => {
  const secret = "A".repeat(43);
  const withStart = (start: string) =>
    start +
    secret +
    crc32(start + secret)
      .toString(36)
      .padStart(7, "0");
  for (const { start, kind } of KINDS) {
    assert.ok(kind.isOne(withStart(start)));
    for (const other of ["hsk_", start.toUpperCase(), start.slice(1), "hts_user_", ""])
      assert.ok(!kind.isOne(withStart(other)), other);
  }
});

test("what is shown of a token is its start and five characters of its secret", () => {
  const [{ kind }] = KINDS as [(typeof KINDS)[number]];
  assert.equal(kind.prefixOf(kind.withSecret(new Uint8Array(32))), "hts_agent_AAAAA");
});
