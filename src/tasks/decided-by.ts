import type { TaskRow } from "../db/schema.ts";
import { answerAccountOf } from "../people/accounts.ts";
import { FALLBACK, type DeciderKind, type StoredDeciderKind } from "./lifecycle.ts";

/** Who decided a task. */
export interface DecidedBy {
  kind: DeciderKind;
  user_id: string | null;
  email: string | null;
  /** Of the person, if the directory knows it, or of the token. */
  name: string | null;
  channel: string | null;
  /** It is the person who uses the agent, whose answer its host handed in. Left out otherwise. */
  at_host?: true;
  /** Their account in the channel, if it vouches for its members. */
  slack?: { team_id: string; user_id: string };
}

export type DecidedTask = Pick<
  TaskRow,
  | "status"
  | "decided_by_kind"
  | "decided_by_name"
  | "completed_by_email"
  | "completed_by_user_id"
  | "completed_by_slack_team_id"
  | "completed_by_slack_user_id"
  | "completed_via_channel"
>;

/** Returns who decided a task; null unless someone completed it. A token that names a person is shown itself. (beyond: Agents) */
export function decidedBy(task: DecidedTask): DecidedBy | null {
  if (task.status !== "completed" || isFallback(task)) return null;
  const stored = (task.decided_by_kind as StoredDeciderKind | null) ?? earlierKindOf(task);
  const kind = stored === "host" ? "agent" : stored;
  const isToken = kind === "agent" || kind === "admin";
  const slack = answerAccountOf(task);
  return {
    kind,
    user_id: isToken ? null : task.completed_by_user_id,
    email: isToken ? null : task.completed_by_email,
    name: task.decided_by_name,
    channel: task.completed_via_channel,
    ...(stored === "host" && { at_host: true as const }),
    ...(slack !== null && { slack }),
  };
}

/** Returns whether no one answered a task in time, and the answer counts that its request gave for that. */
export function isFallback(task: Pick<TaskRow, "decided_by_kind" | "completed_via_channel">): boolean {
  return task.decided_by_kind === null && task.completed_via_channel === FALLBACK;
}

/** What decided a task that an earlier release stored, which did not record it. */
function earlierKindOf({ completed_by_user_id, completed_via_channel }: DecidedTask): DeciderKind {
  if (completed_by_user_id !== null) return "person";
  if (completed_via_channel === "embed") return "embed";
  return completed_via_channel === "email" || completed_via_channel === "slack" ? "recipient" : "admin";
}
