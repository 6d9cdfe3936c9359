import { plural, t } from "../../languages/text.ts";
import { parseJson, type JsonText } from "../lib/json.ts";
import { votesOf, type Standing } from "./count.ts";
import type { Group } from "./policy.ts";
import type { StoredVote } from "./store.ts";

/*
 * What channels say to people about approvals, in whole sentences. While others must not know what people decided (`blind`),
 * no number of approvals is among them.
 */

interface ApprovedTask {
  /** JSON of a `Standing`; null: one person decides. */
  approvals: JsonText | null;
  votes: readonly StoredVote[];
}

/** Returns the decision of a person that counts now; undefined if none does, or if one person decides the task. */
export function ownVote({ approvals, votes }: ApprovedTask, user_id: string | null): StoredVote | undefined {
  const standing = parseJson<Standing>(approvals);
  return standing === null || user_id === null
    ? undefined
    : votesOf(votes, standing.round).find((vote) => vote.user_id === user_id);
}

/** Returns the last decision of a person in an earlier round, which does not count any more. */
export function formerVote({ votes }: ApprovedTask, user_id: string | null, round: number): StoredVote | undefined {
  for (let earlier = round - 1; earlier >= 1; earlier--) {
    const own = votesOf(votes, earlier).find((vote) => vote.user_id === user_id);
    if (own !== undefined) return own;
  }
  return undefined;
}

/** "You approved" */
export function sayOwn({ decision }: Pick<StoredVote, "decision">): string {
  switch (decision) {
    case "approve":
      return t("You approved");
    case "edit":
      return t("You approved with changes");
    case "reject":
      return t("You rejected");
    case "respond":
      return t("You answered with a message");
  }
}

/** "Ada approved" */
export function sayVote({ name, email, decision }: Pick<StoredVote, "name" | "email" | "decision">): string {
  const person = name ?? email ?? t("Someone");
  switch (decision) {
    case "approve":
    case "edit":
      return t("{person} approved", { person });
    case "reject":
      return t("{person} rejected", { person });
    case "respond":
      return t("{person} answered with a message", { person });
  }
}

/** "You approved, and it counted." About a task that has ended. Returns "" if no decision of the person counts. */
export function sayCounted(task: ApprovedTask, user_id: string | null): string {
  switch (ownVote(task, user_id)?.decision) {
    case undefined:
      return "";
    case "approve":
      return t("You approved, and it counted.");
    case "edit":
      return t("You approved with changes, and it counted.");
    case "reject":
      return t("You rejected, and it counted.");
    case "respond":
      return t("You answered with a message, and it counted.");
  }
}

/** "1 of 2 have approved." Names the groups that are missing. Returns "" if people must not know. */
export function sayTally(approvals: JsonText | null): string {
  const standing = parseJson<Standing>(approvals);
  if (standing === null || standing.blind) return "";
  const { have, need, waiting_for } = standing;
  const missing = waiting_for.map(sayGroup).join("; ");
  return missing === ""
    ? t("{have} of {need} have approved.", { have, need })
    : t("{have} of {need} have approved. Still missing: {missing}.", { have, need, missing });
}

/** "2 people must approve." Returns "" if one person decides. */
export function sayNeed(approvals: JsonText | null): string {
  const need = parseJson<Standing>(approvals)?.need ?? 1;
  return need === 1 ? "" : plural(need, "{n} person must approve.", "{n} people must approve.");
}

function sayGroup(group: Group): string {
  if ("role" in group) return t('someone with the role "{role}"', { role: group.role });
  if ("pool" in group) return t('someone from the pool "{pool}"', { pool: group.pool });
  const { emails } = group;
  return emails.length === 1 ? emails[0]! : t("one of {emails}", { emails: emails.join(", ") });
}
