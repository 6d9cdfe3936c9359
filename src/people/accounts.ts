/**
 * Accounts of people in channels that vouch for their members. Stored and sent fields call an account after Slack, the one
 * channel that has had them so far. Only this file and `account-schema.ts`, which describes the fields of requests and
 * records, know that. (spec: Users, Complete a task)
 */
import type { TaskRow, UserRow } from "../db/schema.ts";
import { ServiceError } from "../errors.ts";

/** A member of a workspace. */
export interface Account {
  team_id: string;
  user_id: string;
}

/** The channel that accounts in the directory belong to. */
const CHANNEL = "slack";

type UserColumns = Pick<UserRow, "slack_team_id" | "slack_user_id">;
type AnswerColumns = Pick<TaskRow, "completed_by_slack_team_id" | "completed_by_slack_user_id">;

// --- In the directory --------------------------------------------------------------------------------------------------

/** The columns of a user that name their account. */
export const ACCOUNT_COLUMNS = ["slack_team_id", "slack_user_id"] as const satisfies (keyof UserColumns)[];

export const NO_ACCOUNT: UserColumns = { slack_team_id: null, slack_user_id: null };

export function toAccountRecord({ slack_team_id, slack_user_id }: UserColumns): UserColumns {
  return { slack_team_id, slack_user_id };
}

/** Returns the account of a user with its channel, or null. */
export function accountOf({ slack_team_id, slack_user_id }: UserColumns): (Account & { channel: string }) | null {
  if (slack_team_id === null || slack_user_id === null) return null;
  return { channel: CHANNEL, team_id: slack_team_id, user_id: slack_user_id };
}

/** Rejects half of an account. @throws ServiceError USER_NO_ADDRESS */
export function requireWholeAccount({ slack_team_id, slack_user_id }: UserColumns): void {
  if ((slack_team_id === null) !== (slack_user_id === null))
    throw new ServiceError("USER_NO_ADDRESS", {
      message: "A Slack user is named by both ids, the team's and the user's.",
    });
}

// --- In an answer ------------------------------------------------------------------------------------------------------

/** The columns of a task that name the account which answered. */
export const ANSWER_ACCOUNT_COLUMNS = [
  "completed_by_slack_team_id",
  "completed_by_slack_user_id",
] as const satisfies (keyof AnswerColumns)[];

export function toAnswerColumns(account: Account | null): AnswerColumns {
  return {
    completed_by_slack_team_id: account?.team_id ?? null,
    completed_by_slack_user_id: account?.user_id ?? null,
  };
}

/** Returns the account that answered a task, or null. */
export function answerAccountOf(task: AnswerColumns): Account | null {
  const { completed_by_slack_team_id: team_id, completed_by_slack_user_id: user_id } = task;
  return team_id === null || user_id === null ? null : { team_id, user_id };
}

/** How the audit trail names an account of which no address is known. */
export function toAuditExtra({ team_id, user_id }: Account): object {
  return { slack_team_id: team_id, slack_user_id: user_id };
}

/** Whether an entry of the audit trail names this account. @param extra - of the entry */
export function isInAuditExtra(extra: object | null, { team_id, user_id }: Account): boolean {
  const { slack_team_id, slack_user_id } = (extra ?? {}) as { slack_team_id?: unknown; slack_user_id?: unknown };
  return slack_team_id === team_id && slack_user_id === user_id;
}

/** Names an account that is not in the directory. */
export const UNKNOWN_MEMBER = "a Slack member";

export function nameOfAccount({ user_id }: Account): string {
  return `the Slack member ${user_id}`;
}
