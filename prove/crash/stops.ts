/**
 * Checks the calls and the tasks of an agent against the stops that operators asked for. If a stop got no answer, it happened
 * as a whole or not at all: the agent is refused, and its open tasks are cancelled. If the process that was asked has died,
 * the sweep cancels them.
 */
import type { AgentName, CallerName } from "./callers.ts";
import type { Event } from "./history.ts";

/** `cancel_reason` of a task that was cancelled with its agent. (docs/agents.md) */
export const STOPPED_REASON = "The agent was stopped.";

/** A call that stops or resumes an agent. Orders about the same agent never overlap. */
export interface Order {
  number: number;
  agent: AgentName;
  type: "stop" | "resume";
  /** For a stop: its open tasks are cancelled too. */
  cancelsTasks: boolean;
  startedAt: number;
  endedAt: number;
  /** false: no answer arrived, or one that leaves the result open. */
  isAcknowledged: boolean;
  /** The order got no answer, and a later read showed that it had not happened. */
  isVoid: boolean;
}

/** The orders about each agent, oldest first. */
export type Orders = Map<CallerName, Order[]>;

/** Returns whether the agent was certainly stopped from `from` until `to`. */
function isStopped(orders: readonly Order[], from: number, to: number): boolean {
  const stop = orders.findLast(
    ({ type, isAcknowledged, endedAt }) => type === "stop" && isAcknowledged && endedAt < from,
  );
  if (stop === undefined) return false;
  return !orders.some(({ type, startedAt }) => type === "resume" && startedAt > stop.startedAt && startedAt < to);
}

/** Returns the stops that may have been in effect at some moment between `from` and `to`. */
function stopsIn(orders: readonly Order[], from: number, to: number): Order[] {
  return orders.filter(
    (stop, i) =>
      stop.type === "stop" &&
      !stop.isVoid &&
      stop.startedAt < to &&
      !orders
        .slice(i)
        .some(({ type, isAcknowledged, endedAt }) => type === "resume" && isAcknowledged && endedAt < from),
  );
}

/** Returns whether a stop may have cancelled a task at this moment. @param clockMs - how far clocks may differ */
export function mayBeCancelledAt(orders: readonly Order[], at: number, clockMs: number): boolean {
  return stopsIn(orders, at - clockMs, at + clockMs).some(({ cancelsTasks }) => cancelsTasks);
}

/** Checks that an agent was refused while it was stopped, and only then. */
export function judgeCallOfAgent(event: Event, orders: readonly Order[]): string[] {
  const { call, number, by, status, error_code, startedAt, endedAt } = event;
  if (status === null || status === 503 || endedAt === null) return [];
  const isRefused = error_code === "AGENT_DISABLED";
  if (isRefused && stopsIn(orders, startedAt, endedAt).length === 0)
    return [`${call} #${number} was refused, although nobody had stopped ${by}`];
  if (!isRefused && isStopped(orders, startedAt, endedAt))
    return [`${call} #${number} of ${by} was answered ${status}, although ${by} was stopped`];
  return [];
}

/** Returns an order as an event in the history of a task of its agent. */
export function eventOf({ number, type, startedAt, endedAt, isAcknowledged }: Order): Event {
  const status = isAcknowledged ? 200 : null;
  return { call: type, number, who: "operator", by: "admin", to: null, startedAt, endedAt, status };
}
