import { emailKey } from "../lib/text.ts";
import { answerAccountOf, type Account, type ANSWER_ACCOUNT_COLUMNS } from "../people/accounts.ts";
import { isTerminal, type TerminalStatus } from "./lifecycle.ts";
import type { Task } from "./store.ts";

/** Somebody who looks at a task, as far as it tells whether an answer is theirs. */
export interface Viewer {
  user_id: string | null;
  email: string | null;
  account: Account | null;
}

/** Whether a task can be answered, or how it has ended. Times are epoch milliseconds. */
export type AnswerState =
  | { how: "open" }
  /** `is_own`: the viewer gave the answer. */
  | { how: "completed"; at: number; is_own: boolean }
  | { how: Exclude<TerminalStatus, "completed">; at: number };

type StatedTask = Pick<
  Task,
  | "status"
  | "timeout_at"
  | "completed_at"
  | "timed_out_at"
  | "updated_at"
  | "completed_by_user_id"
  | "completed_by_email"
  | (typeof ANSWER_ACCOUNT_COLUMNS)[number]
>;

/**
 * Says for every surface whether a task can be answered. A deadline that has passed is an end, whether or not the sweep has
 * written it down. Whether this viewer may answer an open task is for access.ts to say.
 *
 * @param viewer - null: nobody who could have answered
 * @param now - epoch milliseconds
 */
export function answerState(task: StatedTask, viewer: Viewer | null, now: number): AnswerState {
  const { status, timeout_at } = task;
  if (!isTerminal(status)) return now < timeout_at ? { how: "open" } : { how: "timed_out", at: timeout_at };
  const at = task.completed_at ?? task.timed_out_at ?? task.updated_at;
  if (status !== "completed") return { how: status, at };
  return { how: status, at, is_own: viewer !== null && isAnswerOf(task, viewer) };
}

/** By the user where the directory knew them, else by the address, else by the account in their channel. */
function isAnswerOf(task: StatedTask, { user_id, email, account }: Viewer): boolean {
  const { completed_by_user_id, completed_by_email } = task;
  if (completed_by_user_id !== null) return completed_by_user_id === user_id;
  if (completed_by_email !== null) return email !== null && emailKey(completed_by_email) === emailKey(email);
  const answered = answerAccountOf(task);
  return answered !== null && answered.team_id === account?.team_id && answered.user_id === account.user_id;
}
