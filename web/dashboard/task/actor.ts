import type { AuditEntry } from "../api.ts";

/** Returns who did what an entry says. */
export function actorOf(entry: AuditEntry): string {
  const byType = { system: "The service", human: "Someone", agent: "The agent" };
  return entry.agent_name ?? entry.actor_email ?? memberOf(entry) ?? byType[entry.actor_type];
}

/** Returns the Slack member who did it; null if it was not done in Slack. */
export function memberOf({ extra }: AuditEntry): string | null {
  const { slack_team_id: team, slack_user_id: member } = extra ?? {};
  return typeof member === "string" && typeof team === "string" ? `Slack member ${member} (${team})` : null;
}
