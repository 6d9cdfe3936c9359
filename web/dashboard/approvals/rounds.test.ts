import assert from "node:assert/strict";
import { test } from "node:test";
import { proposedOf } from "../action/asked.ts";
import type { Task } from "../api.ts";
import { undecided, versionIn, withRound } from "./rounds.ts";

function inRound(round: number, fields: Partial<Task> = {}): Task {
  return { approvals: { round }, version: 1, action: null, actions: null, payload: {}, ...fields } as unknown as Task;
}

void test("what was typed is kept in another round, but finished decisions of a list are not", () => {
  const done = {
    "/decisions/0/decision": ["0"],
    "/decisions/0~done": ["1"],
    "/decisions/1/message": ["Too much."],
  };
  const kept = withRound(inRound(1), done);
  assert.deepEqual(undecided(inRound(1), kept), kept);
  const { "/decisions/0~done": _, ...typed } = kept;
  assert.deepEqual(undecided(inRound(2), kept), typed);
  // Entries from before rounds had a number are about the first one.
  assert.deepEqual(undecided(inRound(1), done), done);
});

void test("what was typed about another version is kept, and no decision", () => {
  const task = (version: number) => ({ ...inRound(1), approvals: null, version });
  const entries = {
    "/decisions/0/decision": ["0"],
    "/decisions/0~done": ["1"],
    "/decisions/1/message": ["Too much."],
    "/note": ["a"],
  };
  const typed = { "/decisions/1/message": ["Too much."], "/note": ["a"] };
  assert.deepEqual(undecided(task(2), withRound(task(1), entries)), typed);
  assert.deepEqual(undecided(task(3), withRound(task(2), entries)), { ...typed, "~version": ["2"] });
  assert.deepEqual(undecided(task(2), withRound(task(2), entries)), { ...entries, "~version": ["2"] });
  assert.equal(versionIn(withRound(task(2), entries)), 2);
});

void test("where one person decides, entries say nothing of rounds", () => {
  const task = { ...inRound(1), approvals: null };
  assert.deepEqual(withRound(task, { "/note": ["a"] }), { "/note": ["a"] });
});

void test("in a later round, people decide about the changed arguments", () => {
  const action = { name: "pay", args: { amount: 90 } } as unknown as NonNullable<Task["action"]>;
  const other = { ...action, name: "tell" };
  const changed = { ...action, args: { amount: 45 } };
  const first = inRound(1, { action, payload: { amount: 90 } });
  assert.deepEqual(proposedOf(first), [{ action, at: "", before: null }]);
  const later = inRound(2, { action, payload: { amount: 45 } });
  assert.deepEqual(proposedOf(later), [{ action: changed, at: "", before: action }]);
  const several = inRound(2, { actions: [action, other], payload: { actions: [changed, other] } });
  assert.deepEqual(proposedOf(several), [
    { action: changed, at: "/decisions/0", before: action },
    { action: other, at: "/decisions/1", before: null },
  ]);
});
