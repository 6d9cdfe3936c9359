import assert from "node:assert/strict";
import { test } from "node:test";
import { agentOf, askerLine, type Asked } from "./asker.ts";

const asked = (on_behalf_of: Asked["on_behalf_of"] = null, kind: Asked["asked_by"]["kind"] = "agent"): Asked => ({
  asked_by: { kind, name: kind === "agent" ? "refunds-bot" : kind },
  on_behalf_of,
});

void test("an agent is named, with the person that it says it acts for", () => {
  assert.equal(askerLine(asked()), "refunds-bot asks");
  assert.equal(askerLine(asked(), "asked"), "refunds-bot asked");
  const mia = "refunds-bot asks, on behalf of Mia (according to the agent)";
  assert.equal(askerLine(asked({ name: "Mia", email: "mia@example.com", id: "7" })), mia);
  assert.equal(askerLine(asked({ name: " \u200B", email: "", id: "Mia" })), mia);
  assert.equal(askerLine(asked({ name: "\u202E" })), "refunds-bot asks");
  assert.equal(askerLine(asked({})), "refunds-bot asks");
});

void test("nothing is said of the admin token, nor of a person", () => {
  for (const kind of ["admin", "user"] as const) {
    assert.equal(askerLine(asked({ name: "Mia" }, kind)), null);
    assert.equal(agentOf(asked(null, kind)), null);
  }
});

void test("no name is longer than 80 characters, breaks the line or turns it around", () => {
  const line = askerLine(asked({ name: `Mia\n\u202Eyour boss ${"x".repeat(254)}` }));
  assert.match(line ?? "", /^refunds-bot asks, on behalf of Mia your boss x+\.\.\. \(according to the agent\)$/);
  assert.ok(line!.length <= "refunds-bot asks, on behalf of  (according to the agent)".length + 80, line!);
});
