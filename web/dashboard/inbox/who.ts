import { useMemo } from "react";
import { t } from "../../../languages/text.ts";
import { isFallback } from "../../../endings/answer-state.ts";
import type { ListedTask, Me } from "../api.ts";
import { usePeople } from "../projects/queries.ts";
import { nameOf } from "../queries.ts";
import { atHostOf } from "../task/actor.ts";
import { named, type Names } from "./names.ts";

type Closed = Pick<
  ListedTask,
  | "completed_by_email"
  | "completed_by_user_id"
  | "completed_by_slack_user_id"
  | "completed_via_channel"
  | "cancelled_by"
  | "decided_by"
  | "status"
  | "approvals"
>;
type Assigned = Pick<ListedTask, "assigned_to_user_id" | "assigned_to_email" | "assign_to">;

/** Returns the names that this person may see. Operators see all names, and others see addresses. */
export function useNames(me: Me): Names {
  const users = usePeople(me);
  return useMemo(() => {
    const names = new Map<string, string>();
    for (const user of users) {
      names.set(user.id, nameOf(user));
      if (user.email !== null) names.set(user.email.toLowerCase(), nameOf(user));
    }
    return names;
  }, [users]);
}

/** Returns the assignee of an open task, or the person who closed it; null if its status says enough. */
export function whoOf(task: Assigned & Closed, me: Me, names: Names): string | null {
  switch (task.status) {
    case "completed":
      if (isFallback(task)) return t("No one in time");
      // Several people decided, not only the last one.
      if (task.approvals !== null) return null;
      return `${answererOf(task, me, names) ?? t("Someone")}${throughApi(task, names) ?? ""}`;
    case "cancelled": {
      const { cancelled_by: email } = task;
      if (email === null) return null;
      return email === me.email ? t("by you") : t("by {person}", { person: named(email, names) });
    }
    case "timed_out":
    case "verification_exhausted":
      return null;
    default:
      return assigneeOf(task, me, names);
  }
}

/** Returns the assignee of an open task, or who it is offered to. */
function assigneeOf(
  { assigned_to_user_id: id, assigned_to_email: email, assign_to }: Assigned,
  me: Me,
  names: Names,
): string {
  if (id !== null && id === me.user_id) return t("You");
  const person = (id === null ? undefined : names.get(id)) ?? named(email, names);
  return person ?? (id === null ? (offeredTo(assign_to, names) ?? t("Unassigned")) : t("Assigned"));
}

/** Returns the pool, the role or the people that a request offers its task to. */
function offeredTo(assign_to: Assigned["assign_to"], names: Names): string | null {
  const { pool, role, access_level, emails } = assign_to ?? {};
  const group = [pool, role, access_level].filter((name) => typeof name === "string" && name !== "");
  if (group.length > 0) return group.join(" · ");
  const [first, ...others] = Array.isArray(emails) ? emails : [];
  if (typeof first !== "string") return null;
  return `${named(first, names)}${others.length > 0 ? ` +${others.length}` : ""}`;
}

/** Returns who answered, or null if that is unknown. An answer that an agent gave in someone's name is the agent's. */
export function answererOf(
  { completed_by_user_id: id, completed_by_email: email, completed_by_slack_user_id: member, decided_by }: Closed,
  me: Me,
  names: Names,
): string | null {
  if (decided_by?.kind === "agent") return decided_by.at_host ? atHostOf(decided_by.name!) : decided_by.name;
  if (id !== null && id === me.user_id) return t("You");
  const person = (id === null ? undefined : names.get(id)) ?? named(email, names);
  if (person !== null && person !== undefined) return person;
  if (decided_by?.kind === "person" && decided_by.name !== null) return decided_by.name;
  return member === null ? null : t("A Slack member");
}

/**
 * Returns how a token sent the answer, to be put behind the name of who answered; null for people, who answer through a channel.
 */
export function throughApi(
  { status, completed_via_channel, completed_by_email: email, decided_by }: Closed,
  names: Names,
): string | null {
  if (decided_by?.kind === "agent" && email !== null)
    return t(", in the name of {person}", { person: named(email, names) });
  const isThrough =
    status === "completed" && (completed_via_channel === null || (decided_by?.kind === "agent" && !decided_by.at_host));
  return isThrough ? t(", through the API") : null;
}
