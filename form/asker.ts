import { cutText, oneLine } from "./plain-text.ts";

/** Who created a task, as its record says it. */
export interface Asked {
  asked_by: { kind: "agent" | "admin" | "user"; name: string };
  /** What the asker says about the person it acts for. Nobody has checked it. */
  on_behalf_of: { name?: string; email?: string; id?: string } | null;
}

/** In characters as people count them. */
const MAX_NAME = 80;

/** Returns the name of the agent that asks; null if the admin token or a person created the task. */
export function agentOf({ asked_by: { kind, name } }: Pick<Asked, "asked_by">): string | null {
  return kind === "agent" ? cutText(oneLine(name), MAX_NAME) : null;
}

/**
 * Returns who asks in one line, such as "refunds-bot asks, on behalf of Mia (according to the agent)"; null unless an agent asks.
 *
 * @param verb - "asked" for a closed task
 */
export function askerLine(task: Asked, verb: "asks" | "asked" = "asks"): string | null {
  const agent = agentOf(task);
  if (agent === null) return null;
  const { name, email, id } = task.on_behalf_of ?? {};
  const person = [name, email, id].map((text) => cutText(oneLine(text ?? ""), MAX_NAME)).find((text) => text !== "");
  return person === undefined
    ? `${agent} ${verb}`
    : `${agent} ${verb}, on behalf of ${person} (according to the agent)`;
}
