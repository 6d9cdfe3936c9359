import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { AGENT_TOKEN_START } from "../people/agent-caller.ts";
import { SERVICE_KEY_START } from "../people/service-keys.ts";
import { isAgentToken, newAgentToken, withChecksum } from "./token.ts";

const TOKENS = [newAgentToken(), withChecksum(new Uint8Array(32)), withChecksum(new Uint8Array(32).fill(255))];

test("a token of an agent is recognized", () => {
  for (const token of TOKENS) assert.ok(isAgentToken(token), token);
});

test("a token with any one character changed is not a token", () => {
  for (const token of TOKENS)
    for (let i = 0; i < token.length; i++) {
      const changed = token.slice(0, i) + (token[i] === "a" ? "b" : "a") + token.slice(i + 1);
      assert.ok(!isAgentToken(changed), changed);
    }
});

test("a token that was cut, or has something before or after it, is not a token", () => {
  for (const token of TOKENS) {
    for (let length = 0; length < token.length; length++) {
      assert.ok(!isAgentToken(token.slice(0, length)), token.slice(0, length));
      assert.ok(!isAgentToken(token.slice(token.length - length)), token.slice(token.length - length));
    }
    for (const longer of [`${token}0`, `0${token}`, `${token} `, ` ${token}`, token + token])
      assert.ok(!isAgentToken(longer), longer);
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
  assert.ok(isAgentToken(withStart(AGENT_TOKEN_START)));
  for (const start of [SERVICE_KEY_START, AGENT_TOKEN_START.toUpperCase(), AGENT_TOKEN_START.slice(1), "hts_user_", ""])
    assert.ok(!isAgentToken(withStart(start)), start);
});
