import assert from "node:assert/strict";
import { test } from "node:test";
import { answerState, isFallback, type Ended, type Identity, type StatedTask } from "./answer-state.ts";
import { answerFact, endingOf, endings, fill, fillText } from "./sentences.ts";

const NOBODY: Identity = { user_id: null, email: null, account: null };

function task(fields: Partial<StatedTask>): StatedTask {
  return { status: "created", timeout_at: 1000, ended_at: null, completed_by: NOBODY, is_fallback: false, ...fields };
}

void test("a task is open until its deadline, and over from then on, whatever its status says", () => {
  for (const status of ["created", "rejected"] as const) {
    assert.deepEqual(answerState(task({ status }), null, 999), { how: "open" });
    assert.deepEqual(answerState(task({ status }), null, 1000), { how: "timed_out", at: 1000 });
  }
  const ends: Ended[] = ["cancelled", "timed_out", "verification_exhausted"];
  for (const status of ends)
    assert.deepEqual(answerState(task({ status, ended_at: 700 }), null, 2000), { how: status, at: 700 });
});

void test("an answer is the viewer's by the user, else by the address, else by the account", () => {
  const account = { team_id: "T1", user_id: "U1" };
  const cases: [completed_by: Partial<Identity>, viewer: Partial<Identity>, isOwn: boolean][] = [
    [{ user_id: "a" }, { user_id: "a" }, true],
    [{ user_id: "a", email: "x" }, { user_id: "b", email: "x" }, false],
    [{ email: "x" }, { user_id: "b", email: "x" }, true],
    [{ email: "x", account }, { email: "y", account }, false],
    [{ account }, { account: { ...account } }, true],
    [{ account }, { account: { ...account, team_id: "T2" } }, false],
    [{ account }, {}, false],
    [{}, {}, false],
  ];
  for (const [by, viewer, is_own] of cases) {
    const done = task({ status: "completed", ended_at: 5, completed_by: { ...NOBODY, ...by } });
    assert.deepEqual(
      answerState(done, { ...NOBODY, ...viewer }, 2000),
      { how: "completed", at: 5, is_own },
      JSON.stringify([by, viewer]),
    );
    assert.deepEqual(answerState(done, null, 2000), { how: "completed", at: 5, is_own: false });
  }
});

void test("an answer that the request gave for the deadline is nobody's, also if its record had someone", () => {
  const done = task({ status: "completed", ended_at: 5, is_fallback: true, completed_by: { ...NOBODY, email: "x" } });
  const state = answerState(done, { ...NOBODY, email: "x" }, 2000);
  assert.deepEqual(state, { how: "fallback", at: 5 });
  assert.equal(endingOf({ how: "fallback", at: 5 }, "Dana"), "fallback");
  const record = { status: "completed", completed_via_channel: "fallback", decided_by: null };
  assert.equal(isFallback(record), true);
  assert.equal(isFallback({ ...record, status: "created" }), false);
  assert.equal(isFallback({ ...record, completed_via_channel: null }), false);
  // A token may name any channel.
  assert.equal(isFallback({ ...record, decided_by: { kind: "admin" } }), false);
  const { chat } = endings().fallback;
  assert.equal(
    fillText(chat, { answer: answerFact("Reject") }),
    "No one answered in time, so the answer given beforehand counts: Reject.",
  );
  assert.equal(
    fillText(chat, { answer: answerFact(null) }),
    "No one answered in time, so the answer given beforehand counts.",
  );
});

void test("each end has a row, and an answer has three: own, somebody's, and nobody knows whose", () => {
  const answered = { how: "completed", at: 1, is_own: false } as const;
  assert.equal(endingOf({ ...answered, is_own: true }, null), "own");
  assert.equal(endingOf(answered, "Dana"), "completed");
  assert.equal(endingOf(answered, null), "unattributed");
  assert.equal(endingOf({ how: "cancelled", at: 1 }, "Dana"), "cancelled");
});

void test("a sentence takes its facts in their places, and none may be missing", () => {
  assert.deepEqual(fill<string | number>("{who} came {at}.", { who: "Dana", at: 3 }), ["Dana", " came ", 3, "."]);
  assert.equal(fillText(endings().completed.agent, { who: "{at}" }), "Answered by {at}.");
  assert.throws(() => fillText(endings().completed.chat, {}), /needs the fact who/);
});
