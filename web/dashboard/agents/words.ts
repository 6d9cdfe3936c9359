import { plural, t } from "../../../languages/text.ts";
import { inOneLine } from "../lists.ts";
import type { Agent } from "./queries.ts";

export type AgentScope = Agent["scopes"][number];
export type RecipientMode = NonNullable<Agent["recipients"]>["mode"];

/** What each scope allows, in the order of the documentation. */
export const SCOPES: Readonly<Record<AgentScope, { label: string; about: string }>> = {
  ask: { label: t("Ask people"), about: t("Creates tasks, and reads, cancels and extends its own.") },
  read: { label: t("Read all tasks"), about: t("Also the tasks of other agents, with their answers.") },
  answer: { label: t("Answer for people"), about: t("Completes tasks in the name of a person.") },
  embed: { label: t("Embed its tasks"), about: t("Creates the tokens that show its tasks in another product.") },
};

/** The people that tasks of agents may name, safest first. */
export const RECIPIENTS: Readonly<Record<RecipientMode, string>> = {
  directory: t("People in the directory"),
  list: t("Only these domains and Slack workspaces"),
  anyone: t("Anyone, including addresses outside the directory"),
};

/** Returns the scopes, with their labels. @param hasSeveral - there are several projects */
export function scopesOf(hasSeveral: boolean): { scope: AgentScope; label: string; about: string }[] {
  return Object.entries(SCOPES).map(([name, { label, about }]) => {
    const scope = name as AgentScope;
    return { scope, about, label: scope === "read" && hasSeveral ? t("Read all tasks of its project") : label };
  });
}

/** @param hasSeveral - there are several projects */
export function scopesInWords({ scopes }: Agent, hasSeveral: boolean): string {
  const labels = scopesOf(hasSeveral).flatMap(({ scope, label }) => (scopes.includes(scope) ? [label] : []));
  return labels.length === 0 ? t("Nothing") : inOneLine(labels);
}

/** Without a rule, agents may ask anyone. */
export function recipientModeOf({ recipients }: Pick<Agent, "recipients">): RecipientMode {
  return recipients?.mode ?? "anyone";
}

export function recipientsInWords(agent: Agent): string {
  const mode = recipientModeOf(agent);
  const { domains = [], slack_teams = [] } = agent.recipients ?? {};
  const teams = slack_teams.map((team) => t("Slack workspace {team}", { team }));
  if (mode === "list") return inOneLine([...domains, ...teams]) || t("No one");
  if (mode === "anyone") return t("Anyone");
  return inOneLine([RECIPIENTS.directory, ...teams]);
}

export function countOfTasks(count: number): string {
  return plural(count, "{n} open task", "{n} open tasks");
}
