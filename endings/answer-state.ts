/** Somebody who looks at a task or has answered it, as far as one can tell that they are the same. */
export interface Identity {
  user_id: string | null;
  /** Addresses are compared as they are: both in the same case. */
  email: string | null;
  /** A member of a workspace. */
  account: { team_id: string; user_id: string } | null;
}

/** What a task says of its end. Times are epoch milliseconds. */
export interface StatedTask {
  status: "created" | "rejected" | Ended;
  timeout_at: number;
  /** null as long as the status is not an end. */
  ended_at: number | null;
  completed_by: Identity;
}

export type Ended = "completed" | "timed_out" | "cancelled" | "verification_exhausted";

/** Whether a task can be answered, or how it has ended. Times are epoch milliseconds. */
export type AnswerState =
  | { how: "open" }
  /** `is_own`: the viewer gave the answer. */
  | { how: "completed"; at: number; is_own: boolean }
  | { how: Exclude<Ended, "completed">; at: number };

/**
 * Says for every surface whether a task can be answered. A deadline that has passed is an end, whether or not the sweep has
 * written it down. Whether this viewer may answer an open task is for the service to say.
 *
 * @param viewer - null: nobody who could have answered
 * @param now - epoch milliseconds
 */
export function answerState(task: StatedTask, viewer: Identity | null, now: number): AnswerState {
  const { status, timeout_at } = task;
  if (status === "created" || status === "rejected")
    return now < timeout_at ? { how: "open" } : { how: "timed_out", at: timeout_at };
  const at = task.ended_at!;
  if (status !== "completed") return { how: status, at };
  return { how: status, at, is_own: viewer !== null && isSame(task.completed_by, viewer) };
}

/** By the user where the directory knew them, else by the address, else by the account in their channel. */
function isSame(answerer: Identity, viewer: Identity): boolean {
  if (answerer.user_id !== null) return answerer.user_id === viewer.user_id;
  if (answerer.email !== null) return answerer.email === viewer.email;
  const { account } = answerer;
  return account !== null && account.team_id === viewer.account?.team_id && account.user_id === viewer.account.user_id;
}
