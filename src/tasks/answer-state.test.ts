import assert from "node:assert/strict";
import { test } from "node:test";
import { answerStateOf } from "./answer-state.ts";

void test("an answer is the viewer's in whatever case either wrote their address", () => {
  const task = {
    status: "completed",
    timeout_at: 1000,
    ended_at: 5,
    completed_by_user_id: null,
    completed_by_email: "Dana@Example.com",
    completed_by_slack_team_id: null,
    completed_by_slack_user_id: null,
    completed_via_channel: null,
    decided_by_kind: null,
  } as const;
  const isOwn = (email: string) => {
    const state = answerStateOf(task, { user_id: null, email, account: null }, 10);
    return state.how === "completed" && state.is_own;
  };
  assert.deepEqual(["dana@example.com", "DANA@EXAMPLE.COM", "lee@example.com"].map(isOwn), [true, true, false]);
});
