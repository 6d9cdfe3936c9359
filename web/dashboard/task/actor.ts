import { t } from "../../../languages/text.ts";
import type { AuditEntry } from "../api.ts";

/** Returns who did what an entry says. */
export function actorOf(entry: AuditEntry): string {
  const byType = { system: t("The service"), human: t("Someone"), agent: t("The agent") };
  return agentIn(entry) ?? entry.actor_email ?? memberOf(entry) ?? byType[entry.actor_type];
}

/** Returns the agent of an entry, or the person who uses it, whose answer its host handed in; null without an agent. */
export function agentIn({ agent_name, extra }: AuditEntry): string | null {
  return agent_name !== null && extra?.["at_host"] === true ? atHostOf(agent_name) : agent_name;
}

/** Names the person who uses an agent. Nothing but its host knows them. */
export function atHostOf(agent: string): string {
  return t("The person at the host of {agent}", { agent });
}

/** Returns the Slack member who did it; null if it was not done in Slack. */
export function memberOf({ extra }: AuditEntry): string | null {
  const { slack_team_id: team, slack_user_id: member } = extra ?? {};
  return typeof member === "string" && typeof team === "string"
    ? t("Slack member {member} ({team})", { member, team })
    : null;
}
