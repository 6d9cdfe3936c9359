import { answerState, type AnswerState, type Identity } from "../../endings/answer-state.ts";
import { emailKey } from "../lib/text.ts";
import { answerAccountOf, type ANSWER_ACCOUNT_COLUMNS } from "../people/accounts.ts";
import { isFallback } from "./decided-by.ts";
import type { Task } from "./store.ts";

type StatedColumns = Pick<
  Task,
  | "status"
  | "timeout_at"
  | "ended_at"
  | "completed_by_user_id"
  | "completed_by_email"
  | "completed_via_channel"
  | "decided_by_kind"
  | (typeof ANSWER_ACCOUNT_COLUMNS)[number]
>;

/** Returns whether `viewer` finds a stored task open, or how it was closed. @param now - epoch milliseconds */
export function answerStateOf(task: StatedColumns, viewer: Identity | null, now: number): AnswerState {
  const completed_by = {
    user_id: task.completed_by_user_id,
    email: comparable(task.completed_by_email),
    account: answerAccountOf(task),
  };
  const is_fallback = isFallback(task);
  return answerState(
    { ...task, completed_by, is_fallback },
    viewer && { ...viewer, email: comparable(viewer.email) },
    now,
  );
}

function comparable(email: string | null): string | null {
  return email === null ? null : emailKey(email);
}
