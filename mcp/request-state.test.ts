import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServerContext } from "@modelcontextprotocol/server";
import { createStateSeal, digestOf, stateKeyOf, type RequestState } from "./request-state.ts";

const CTX = {} as ServerContext;
const STATE: RequestState = {
  id: "tsk_1",
  by: "form",
  version: 1,
  call: digestOf("ask_human", { question: "?" }),
  round: 1,
};
const KEY = stateKeyOf("hts_agent_1");
const DAY_MS = 86_400_000;

void test("a state counts for a day, for its own token, agent and project", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_770_000_000_000 });
  const asker = { agent: "bot", project: "refunds" };
  const own = createStateSeal([KEY], "token", asker);
  const sealed = await own.seal(STATE, CTX);
  assert.deepEqual(await own.open(sealed, CTX), STATE);
  for (const other of [
    createStateSeal([KEY], "another", asker),
    createStateSeal([KEY], "token", { ...asker, agent: "other" }),
    createStateSeal([KEY], "token", { ...asker, project: "ships" }),
    createStateSeal([KEY], "token", null),
    createStateSeal([stateKeyOf("hts_agent_2")], "token", asker),
  ])
    await assert.rejects(other.open(sealed, CTX));
  t.mock.timers.setTime(1_770_000_000_000 + DAY_MS + 1000);
  await assert.rejects(own.open(sealed, CTX));
});

void test("a state of the previous key counts while the key is rotated, and new ones have the new key", async () => {
  const [previous, current] = [stateKeyOf("previous"), stateKeyOf("current")];
  const during = createStateSeal([current, previous], "token", null);
  const old = await createStateSeal([previous], "token", null).seal(STATE, CTX);
  assert.deepEqual(await during.open(old, CTX), STATE);
  const after = createStateSeal([current], "token", null);
  assert.deepEqual(await after.open(await during.seal(STATE, CTX), CTX), STATE);
  await assert.rejects(after.open(old, CTX));
});

void test("a state that is too long is not read", async () => {
  const seal = createStateSeal([KEY], "token", null);
  const long = await seal.seal({ ...STATE, id: "x".repeat(3000) }, CTX);
  await assert.rejects(seal.open(long, CTX), { message: "too long" });
});

void test("a call is named by its tool and all of its arguments, in any order", () => {
  const call = digestOf("ask_human", { question: "?", context: { a: 1, b: 2 } });
  assert.equal(digestOf("ask_human", { context: { b: 2, a: 1 }, question: "?" }), call);
  for (const other of [
    digestOf("approve_action", { question: "?", context: { a: 1, b: 2 } }),
    digestOf("ask_human", { question: "?", context: { a: 1, b: 3 } }),
    digestOf("ask_human", { question: "?", context: { a: 1 } }),
  ])
    assert.notEqual(other, call);
});
