/** A person who views or answered a task, with what identifies them. */
export interface Identity {
  user_id: string | null;
  /** Compared exactly: both must have the same case. */
  email: string | null;
  /** A member of a workspace. */
  account: { team_id: string; user_id: string } | null;
}

/** The fields of a task that tell whether it is closed. Times are epoch milliseconds. */
export interface StatedTask {
  status: "created" | "rejected" | Ended;
  timeout_at: number;
  /** null while the task is open. */
  ended_at: number | null;
  completed_by: Identity;
  /** It was completed with the answer that its request gave for the deadline. */
  is_fallback: boolean;
}

export type Ended = "completed" | "timed_out" | "cancelled" | "verification_exhausted";

/** Whether a task can be answered, or how it has ended. Times are epoch milliseconds. */
export type AnswerState =
  | { how: "open" }
  /** `is_own`: the viewer gave the answer. */
  | { how: "completed"; at: number; is_own: boolean }
  /** No one answered in time, and the answer counts that the request gave for that. */
  | { how: "fallback"; at: number }
  | { how: Exclude<Ended, "completed">; at: number };

/**
 * Returns for every surface whether a task can be answered. A task past its deadline is closed, even if the sweep has not
 * stored that yet. Whether this viewer may answer an open task is decided elsewhere.
 *
 * @param viewer - null for a viewer who cannot have answered
 * @param now - epoch milliseconds
 */
export function answerState(task: StatedTask, viewer: Identity | null, now: number): AnswerState {
  const { status, timeout_at } = task;
  if (status === "created" || status === "rejected")
    return now < timeout_at ? { how: "open" } : { how: "timed_out", at: timeout_at };
  const at = task.ended_at!;
  if (status !== "completed") return { how: status, at };
  if (task.is_fallback) return { how: "fallback", at };
  return { how: status, at, is_own: viewer !== null && isSame(task.completed_by, viewer) };
}

/** Returns whether no one answered a task, as its record shows it, and the answer counts that its request gave for that. */
export function isFallback(task: {
  status: string;
  completed_via_channel: string | null;
  decided_by: object | null;
}): boolean {
  const { status, completed_via_channel, decided_by } = task;
  return status === "completed" && completed_via_channel === "fallback" && decided_by === null;
}

/** Compares the user if known, else the email, else the account in the channel. */
function isSame(answerer: Identity, viewer: Identity): boolean {
  if (answerer.user_id !== null) return answerer.user_id === viewer.user_id;
  if (answerer.email !== null) return answerer.email === viewer.email;
  const { account } = answerer;
  return account !== null && account.team_id === viewer.account?.team_id && account.user_id === viewer.account.user_id;
}
