import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeOf } from "./notice.ts";

const TASK = { id: "tsk_1", title: "Approve the refund?" };

void test("a notification says what is asked, why, and how much waits", () => {
  const said = (
    waiting: number,
    purpose: string | null,
    task: typeof TASK | { id: string; title: null } | null = TASK,
  ) => Object.values(noticeOf({ waiting, purpose, task })).join(" | ");
  assert.equal(said(1, "decision"), "Approve the refund? | 1 task waits for you. | /tasks/tsk_1");
  assert.equal(said(1234, "reminder"), "Approve the refund? | Reminder. 1,234 tasks wait for you. | /tasks/tsk_1");
  assert.equal(
    said(2, "assigned", { id: "tsk_2", title: null }),
    "A confidential task | Assigned to you. 2 tasks wait for you. | /tasks/tsk_2",
  );
  assert.equal(said(0, "test", null), "Notifications work in this browser | You are all caught up. | /inbox");
  // The task was deleted.
  assert.equal(said(3, "decision", null), "Human Task Service | 3 tasks wait for you. | /inbox");
});
