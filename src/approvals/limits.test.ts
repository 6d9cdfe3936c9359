import assert from "node:assert/strict";
import { test } from "node:test";
import { actionTask } from "../../test/support/actions.ts";
import { person } from "../../test/support/people.ts";
import { testOnBoth } from "../../test/support/service.ts";
import { DECISIONS_MAX, ROUNDS_MAX, transition, type Ballot } from "../tasks/lifecycle.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import type { Stance } from "./count.ts";

const state = { status: "created", verification_attempt: 0, timeout_at: 10, version: 1 } as const;
const by = {
  kind: "person",
  name: null,
  email: null,
  user_id: "ada",
  account: null,
  channel: null,
  embed_sub: null,
} as const;

const voteOf = (user_id: string, round: number, decision: Stance): Ballot["vote"] => ({
  user_id,
  round,
  decision,
  email: null,
  name: null,
  channel: null,
  response: "{}",
  groups: [],
  withdrawn_at: null,
});

function decideAfter(before: readonly Ballot["vote"][], vote: Ballot["vote"]): void {
  const policy = { need: 3, from: null, veto: "any", exclude: [], blind: false, one_of_each: [] } as const;
  const votes = before.map((one, seq) => ({ ...one, withdrawn_at: 1, seq, created_at: seq }));
  const ballot: Ballot = { policy, votes, vote, excluded: [], others: null };
  transition(state, { type: "accepted", response: {}, by, assigns: null, verdict: null, ballot }, 1);
}

void test("rounds end at a limit, and one person's decisions do", () => {
  const last = voteOf("ada", ROUNDS_MAX, "edit");
  decideAfter([], last);
  assert.throws(() => decideAfter([], voteOf("ada", ROUNDS_MAX + 1, "edit")), { code: "TOO_MANY_ROUNDS" });
  decideAfter([last], voteOf("ben", ROUNDS_MAX, "approve"));

  const taken = Array.from({ length: DECISIONS_MAX }, () => voteOf("ada", 1, "approve"));
  decideAfter(taken.slice(1), voteOf("ada", 1, "approve"));
  assert.throws(() => decideAfter(taken, voteOf("ada", 1, "approve")), { code: "TOO_MANY_DECISIONS" });
  decideAfter(taken, voteOf("ben", 1, "approve"));
});

testOnBoth("a person who decides too often gets 409, and nothing of it is stored", async (service) => {
  const [ada, ben] = [await person(service, { pool: "desk" }), await person(service, { pool: "desk" })];
  const made = await service.call<TaskRecord>("POST", "/api/tasks", {
    body: { ...actionTask(), approvals: { need: 2, from: { pool: "desk" } } },
  });
  const { id } = made.body;
  const decide = async ({ call }: typeof ada, response: object) =>
    call<TaskRecord & { error_code: string }>("POST", `/api/tasks/${id}/complete`, { body: { response } });
  for (let i = 1; i < ROUNDS_MAX; i++)
    assert.equal((await decide(ada, { decision: "edit", args: { amount: i, to: { name: "Mia" } } })).status, 200);
  const edited = await decide(ben, { decision: "edit", args: { amount: 1, to: { name: "Ben" } } });
  assert.deepEqual([edited.status, edited.body.error_code], [409, "TOO_MANY_ROUNDS"]);

  await ada.call("DELETE", `/api/tasks/${id}/approvals/me`);
  assert.equal((await decide(ada, { decision: "approve" })).status, 200);
  await ada.call("DELETE", `/api/tasks/${id}/approvals/me`);
  const often = await decide(ada, { decision: "approve" });
  assert.deepEqual([often.status, often.body.error_code], [409, "TOO_MANY_DECISIONS"]);

  const approved = await decide(ben, { decision: "approve" });
  assert.deepEqual([approved.body.status, approved.body.approvals!.have], ["created", 1]);
  const polled = await service.call<TaskRecord>("GET", `/api/tasks/${id}/poll?timeout=0`);
  assert.deepEqual(polled.body.approvals!.decisions, approved.body.approvals!.decisions);
});
