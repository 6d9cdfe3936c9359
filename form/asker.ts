import { plural, t } from "../languages/text.ts";
import { cutText, oneLine } from "./plain-text.ts";

/** Who created a task, as its record says it. */
export interface Asked {
  asked_by: { kind: "agent" | "admin" | "user"; name: string };
  /** What the asker says about the person it acts for. Nobody has checked it. */
  on_behalf_of: { name?: string; email?: string; id?: string } | null;
}

/** An action that a task asks about. */
export interface AskedAction {
  name: string;
  risk: "normal" | "high";
}

/** In characters as people count them. */
const MAX_NAME = 80;
/** More actions are counted. */
const MAX_ACTIONS = 5;

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
  const person = behalfOf(task);
  const isOver = verb === "asked";
  if (person === null) return isOver ? t("{agent} asked", { agent }) : t("{agent} asks", { agent });
  return isOver
    ? t("{agent} asked, on behalf of {person} (according to the agent)", { agent, person })
    : t("{agent} asks, on behalf of {person} (according to the agent)", { agent, person });
}

/**
 * Returns what is asked in one line, such as "refunds-bot wants to run refund (high risk)", with the person as above.
 *
 * @param actions - at least one
 */
export function actionLine(task: Asked, actions: readonly AskedAction[], verb: "asks" | "asked" = "asks"): string {
  const agent = agentOf(task);
  const names = actions
    .slice(0, MAX_ACTIONS)
    .map(({ name, risk }) => ({ action: cutText(oneLine(name), MAX_NAME), isHigh: risk === "high" }))
    .map(({ action, isHigh }) => (isHigh ? t("{action} (high risk)", { action }) : action));
  const all = [
    ...names,
    ...(actions.length > MAX_ACTIONS ? [t("{count} more", { count: actions.length - MAX_ACTIONS })] : []),
  ].join(", ");
  const n = actions.length;
  if (agent === null) return plural(n, "Action: {actions}", "Actions: {actions}", { actions: all });
  const listed = n === 1 ? all : t("{n} actions: {actions}", { n, actions: all });
  const person = behalfOf(task);
  const values = { agent, actions: listed };
  if (person === null)
    return verb === "asks" ? t("{agent} wants to run {actions}", values) : t("{agent} wanted to run {actions}", values);
  return verb === "asks"
    ? t("{agent} wants to run {actions}, on behalf of {person} (according to the agent)", { ...values, person })
    : t("{agent} wanted to run {actions}, on behalf of {person} (according to the agent)", { ...values, person });
}

function behalfOf({ on_behalf_of }: Asked): string | null {
  const { name, email, id } = on_behalf_of ?? {};
  const person = [name, email, id].map((text) => cutText(oneLine(text ?? ""), MAX_NAME)).find((text) => text !== "");
  return person ?? null;
}
