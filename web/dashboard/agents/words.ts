import type { Agent } from "./queries.ts";

export type AgentScope = Agent["scopes"][number];
export type RecipientMode = NonNullable<Agent["recipients"]>["mode"];

/** What each scope allows, in the order of the documentation. */
export const SCOPES: Readonly<Record<AgentScope, { label: string; about: string }>> = {
  ask: { label: "Ask people", about: "Creates tasks, and reads, cancels and extends its own." },
  read: { label: "Read all tasks", about: "Also the tasks of other agents, with their answers." },
  answer: { label: "Answer for people", about: "Completes tasks in the name of a person." },
  embed: { label: "Embed its tasks", about: "Creates the tokens that show its tasks in another product." },
};

/** The people that tasks of agents may name, safest first. */
export const RECIPIENTS: Readonly<Record<RecipientMode, string>> = {
  directory: "People in the directory",
  list: "Only these domains and Slack workspaces",
  anyone: "Anyone, including addresses outside the directory",
};

/** Returns the scopes, with their labels. @param hasSeveral - there are several projects */
export function scopesOf(hasSeveral: boolean): { scope: AgentScope; label: string; about: string }[] {
  return Object.entries(SCOPES).map(([name, { label, about }]) => {
    const scope = name as AgentScope;
    return { scope, about, label: scope === "read" && hasSeveral ? `${label} of its project` : label };
  });
}

/** @param hasSeveral - there are several projects */
export function scopesInWords({ scopes }: Agent, hasSeveral: boolean): string {
  const labels = scopesOf(hasSeveral).flatMap(({ scope, label }) => (scopes.includes(scope) ? [label] : []));
  return labels.length === 0 ? "Nothing" : labels.join(", ");
}

/** Without a rule, agents may ask anyone. */
export function recipientModeOf({ recipients }: Pick<Agent, "recipients">): RecipientMode {
  return recipients?.mode ?? "anyone";
}

export function recipientsInWords(agent: Agent): string {
  const mode = recipientModeOf(agent);
  const { domains = [], slack_teams = [] } = agent.recipients ?? {};
  const teams = slack_teams.map((team) => `Slack workspace ${team}`);
  if (mode === "list") return [...domains, ...teams].join(", ") || "No one";
  if (mode === "anyone") return "Anyone";
  return [RECIPIENTS.directory, ...teams].join(", ");
}

export function countOfTasks(count: number): string {
  return count === 1 ? "1 open task" : `${count.toLocaleString()} open tasks`;
}
